import CaptureProtocol
import JPEGMetadata

/// Writes EXIF in the format of an iPhone's camera, with the fields that we read (Exif 2.32, TIFF 6.0), big-endian.
struct SceneEXIF {
    let options: SceneOptions

    /// Inserts the APP1 segment as the first, and removes the JFIF segment, as cameras do.
    /// - Throws: ``SceneError`` `encodingFailed` if `jpeg` is not a JPEG or the fields do not fit into a segment.
    func insert(into jpeg: [UInt8]) throws(SceneError) -> [UInt8] {
        guard jpeg.count > 6, jpeg[0] == 0xFF, jpeg[1] == 0xD8 else { throw SceneError(.encodingFailed, "not a JPEG") }
        var rest = 2
        if jpeg[2] == 0xFF, jpeg[3] == 0xE0 { rest += 2 + Int(jpeg[4]) << 8 + Int(jpeg[5]) }
        guard rest <= jpeg.count else { throw SceneError(.encodingFailed, "a damaged JPEG") }
        do throws(JPEGError) {
            return try [0xFF, 0xD8] + directories().segment() + jpeg[rest...]
        } catch {
            throw SceneError(.encodingFailed, error.message)
        }
    }

    private func directories() -> EXIFDirectories {
        var exif = EXIFDirectories()
        exif.main.ascii(0x010F, "Apple")
        exif.main.ascii(0x0110, options.model)
        exif.main.short(0x0112, options.orientation)
        exif.main.rational(0x011A, [(72, 1)])
        exif.main.rational(0x011B, [(72, 1)])
        exif.main.short(0x0128, 2)
        exif.main.ascii(0x0131, "17.1.1")
        exif.main.ascii(0x0132, time.dateTime)
        exif.photo = photo()
        if let location = options.location {
            let place = PreciseLocation(latitude: location.latitude, longitude: location.longitude, altitude: location.altitude)
            exif.place = TIFFDirectory(place: place)
        }
        return exif
    }

    private var time: EXIFTime { EXIFTime(options.capturedAt, secondsFromUTC: options.secondsFromUTC) }

    private func photo() -> TIFFDirectory {
        var exif = TIFFDirectory()
        exif.rational(0x829A, [(1, 60)])
        exif.rational(0x829D, [(178, 100)])
        exif.short(0x8827, 125)
        exif.undefined(0x9000, Array("0232".utf8))
        exif.ascii(0x9003, time.dateTime)
        exif.ascii(0x9004, time.dateTime)
        for tag in [0x9010, 0x9011, 0x9012] { exif.ascii(tag, time.offset) }
        if options.includesPrivateTags {
            exif.undefined(0x927C, makerNote)
            exif.ascii(0xA420, "5F1D6C2E8A7B4C3D9E0F1A2B3C4D5E6F")
            exif.ascii(0xA430, "Jane Appleseed")
            exif.ascii(0xA431, "F2LXK1234567")
            exif.ascii(0xA435, "LENS7654321")
        }
        for tag in [0x9291, 0x9292] { exif.ascii(tag, time.subSeconds) }
        exif.short(0xA001, 1)
        exif.long(0xA002, options.photoSize.width)
        exif.long(0xA003, options.photoSize.height)
        exif.ascii(0xA433, "Apple")
        exif.ascii(0xA434, "\(options.model) back triple camera 6.765mm f/1.78")
        return exif
    }

    /// In Apple's format: a header, then a directory with offsets from the note's start.
    private var makerNote: [UInt8] {
        var note = TIFFDirectory()
        note.long(0x0001, 14)
        note.ascii(0x0015, "9B4F0C1E-5A77-4D0B-8A33-2F6E1D7C9A10")
        let header = Array("Apple iOS\0".utf8) + [0, 1] + Array("MM".utf8)
        return header + note.serialized(at: header.count)
    }
}
