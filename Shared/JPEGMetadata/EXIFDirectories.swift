/// The EXIF of a photo while it is written (CIPA DC-008 §4.6), big-endian.
package struct EXIFDirectories: Sendable {
    /// The camera, and how to show the picture.
    package var main = TIFFDirectory()
    /// How and when the photo was taken.
    package var photo = TIFFDirectory()
    /// The GPS directory; empty for a photo without a place.
    package var place = TIFFDirectory()

    package init() {}

    /// The APP1 segment; empty if there are no fields.
    /// - Throws: ``JPEGError`` `tooLarge`.
    package func segment() throws(JPEGError) -> [UInt8] {
        var main = main
        if !photo.isEmpty { main.directory(0x8769, photo) }
        if !place.isEmpty { main.directory(0x8825, place) }
        guard !main.isEmpty else { return [] }
        let payload = Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8] + main.serialized(at: 8)
        let length = payload.count + 2
        guard length <= 0xffff else { throw JPEGError(.tooLarge, "EXIF of \(payload.count) bytes") }
        return [0xff, 0xe1, UInt8(length >> 8), UInt8(length & 0xff)] + payload
    }
}

extension EXIFDirectories {
    /// The tags of ``EXIFPublicTags``.
    init(publicTagsOf tiff: TIFFReader) {
        let directory = tiff.directory(at: tiff.firstDirectory)
        main = TIFFDirectory(EXIFPublicTags.main, of: directory, in: tiff)
        if let pointer = directory[0x8769].flatMap(tiff.integer) {
            photo = TIFFDirectory(EXIFPublicTags.photo, of: tiff.directory(at: pointer), in: tiff)
        }
    }

    /// Replaces what a photo's EXIF says of its time, camera and size, and leaves out its place.
    mutating func state(_ facts: CameraFacts, size: (width: Int, height: Int)) {
        let time = EXIFTime(facts.capturedAt, secondsFromUTC: facts.secondsFromUTC)
        main.ascii(0x010f, "Apple")
        main.ascii(0x0110, facts.model)
        main.short(0x0112, facts.orientation)
        main.ascii(0x0132, time.dateTime)
        if !photo.contains(0x9000) { photo.undefined(0x9000, Array("0232".utf8)) }
        for tag in [0x9003, 0x9004] { photo.ascii(tag, time.dateTime) }
        for tag in [0x9010, 0x9011, 0x9012] { photo.ascii(tag, time.offset) }
        for tag in [0x9290, 0x9291, 0x9292] { photo.ascii(tag, time.subSeconds) }
        photo.long(0xa002, size.width)
        photo.long(0xa003, size.height)
        place = TIFFDirectory()
    }
}
