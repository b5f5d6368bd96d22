import Foundation

/// Writes EXIF in the format of an iPhone's camera, with the fields that we read (Exif 2.32, TIFF 6.0), big-endian.
struct EXIFWriter {
    let options: SceneOptions

    /// Inserts the APP1 segment as the first, and removes the JFIF segment, as cameras do.
    /// - Throws: ``SceneError`` `encodingFailed` if `jpeg` is not a JPEG or the fields do not fit into a segment.
    func insert(into jpeg: [UInt8]) throws(SceneError) -> [UInt8] {
        guard jpeg.count > 6, jpeg[0] == 0xFF, jpeg[1] == 0xD8 else { throw SceneError(.encodingFailed, "not a JPEG") }
        var rest = 2
        if jpeg[2] == 0xFF, jpeg[3] == 0xE0 { rest += 2 + Int(jpeg[4]) << 8 + Int(jpeg[5]) }
        let payload = Array("Exif\0\0".utf8) + tiff()
        guard payload.count + 2 <= 0xFFFF, rest <= jpeg.count else {
            throw SceneError(.encodingFailed, "EXIF of \(payload.count) bytes")
        }
        let length = payload.count + 2
        return [0xFF, 0xD8, 0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + payload + jpeg[rest...]
    }

    private func tiff() -> [UInt8] {
        var main = TIFFDirectory()
        main.ascii(0x010F, "Apple")
        main.ascii(0x0110, options.model)
        main.short(0x0112, options.orientation)
        main.rational(0x011A, [(72, 1)])
        main.rational(0x011B, [(72, 1)])
        main.short(0x0128, 2)
        main.ascii(0x0131, "17.1.1")
        main.ascii(0x0132, dateTime)
        main.directory(0x8769, exif())
        if let location = options.location { main.directory(0x8825, gps(location)) }
        return Array("MM\0*".utf8) + [0, 0, 0, 8] + main.serialized(at: 8)
    }

    private func exif() -> TIFFDirectory {
        var exif = TIFFDirectory()
        exif.rational(0x829A, [(1, 60)])
        exif.rational(0x829D, [(178, 100)])
        exif.short(0x8827, 125)
        exif.undefined(0x9000, Array("0232".utf8))
        exif.ascii(0x9003, dateTime)
        exif.ascii(0x9004, dateTime)
        for tag in [0x9010, 0x9011, 0x9012] { exif.ascii(tag, offset) }
        if options.includesPrivateTags {
            exif.undefined(0x927C, makerNote)
            exif.ascii(0xA420, "5F1D6C2E8A7B4C3D9E0F1A2B3C4D5E6F")
            exif.ascii(0xA430, "Jane Appleseed")
            exif.ascii(0xA431, "F2LXK1234567")
            exif.ascii(0xA435, "LENS7654321")
        }
        for tag in [0x9291, 0x9292] { exif.ascii(tag, subSeconds) }
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

    private func gps(_ location: SceneLocation) -> TIFFDirectory {
        var gps = TIFFDirectory()
        gps.bytes(0x0000, [2, 3, 0, 0])
        gps.ascii(0x0001, location.latitude < 0 ? "S" : "N")
        gps.rational(0x0002, Self.degrees(location.latitude, limit: 90))
        gps.ascii(0x0003, location.longitude < 0 ? "W" : "E")
        gps.rational(0x0004, Self.degrees(location.longitude, limit: 180))
        if let altitude = location.altitude, altitude.isFinite {
            gps.bytes(0x0005, [altitude < 0 ? 1 : 0])
            gps.rational(0x0006, [(UInt32(min(abs(altitude), 1e6) * 100), 100)])
        }
        return gps
    }

    /// Degrees, minutes and seconds.
    private static func degrees(_ value: Double, limit: Double) -> [(UInt32, UInt32)] {
        let seconds = UInt32((min(abs(value.isFinite ? value : 0), limit) * 360_000).rounded())
        return [(seconds / 360_000, 1), (seconds / 6000 % 60, 1), (seconds % 6000, 100)]
    }

    private var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: options.secondsFromUTC) ?? .gmt
        return calendar
    }

    /// "2026:11:21 07:00:00" in the camera's local time.
    private var dateTime: String {
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: wholeSeconds)
        return String(
            format: "%04d:%02d:%02d %02d:%02d:%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0, parts.hour ?? 0,
            parts.minute ?? 0, parts.second ?? 0)
    }

    /// "+02:00".
    private var offset: String {
        let minutes = abs(options.secondsFromUTC) / 60
        return String(format: "%@%02d:%02d", options.secondsFromUTC < 0 ? "-" : "+", minutes / 60, minutes % 60)
    }

    private var milliseconds: Double { (options.capturedAt.timeIntervalSince1970 * 1000).rounded() }
    private var wholeSeconds: Date { Date(timeIntervalSince1970: (milliseconds / 1000).rounded(.down)) }

    /// Three digits: milliseconds.
    private var subSeconds: String {
        String(format: "%03d", Int(milliseconds - wholeSeconds.timeIntervalSince1970 * 1000))
    }
}
