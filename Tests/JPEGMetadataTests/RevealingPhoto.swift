import Foundation

/// Photos with all private data that a photo may contain, each with the word "SECRET" or a location.
enum RevealingPhoto {
    /// Adds everything to the photo.
    static func make(_ jpeg: [UInt8], isLittleEndian: Bool = false) throws -> [UInt8] {
        let place: [UInt16: EXIFValue] = [
            0x0001: .text("S"), 0x0002: .rational([(33, 1), (51, 1), (2447, 100)]), 0x0003: .text("E"),
            0x0004: .rational([(151, 1), (12, 1), (5508, 100)]), 0x001d: .text("2026:11:21"),
        ]
        let photo: [UInt16: EXIFValue] = [
            0x829a: .rational([(1, 60)]), 0x8827: .short(125), 0x9000: .undefined(Array("0232".utf8)),
            0x9003: .text("2026:11:21 07:00:00"), 0x9011: .text("+01:00"), 0x9291: .text("257"),
            0x927c: .undefined(Array("Apple iOS\0\0\u{1}MM SECRET maker note".utf8)), 0x9286: .undefined(Array("ASCII\0\0\0SECRET".utf8)),
            0xa002: .long(48), 0xa420: .text("SECRET-image-id"), 0xa430: .text("SECRET owner"), 0xa431: .text("SECRET-body"),
            0xa432: .rational([(1, 2), (3, 4), (5, 6), (7, 8)]), 0xa434: .text("back triple camera"), 0xa435: .text("SECRET-lens"),
        ]
        let main: [UInt16: EXIFValue] = [
            0x010e: .text("SECRET description"), 0x010f: .text("Apple"), 0x0110: .text("iPhone 15 Pro"), 0x0112: .short(6),
            0x013b: .text("SECRET artist"), 0x8298: .text("SECRET copyright"), 0x8769: .directory(photo), 0x8825: .directory(place),
        ]
        let preview = try TestPictures.jpeg(width: 16, height: 16)
        let xmp =
            "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
            + "<rdf:Description xmlns:exif='http://ns.adobe.com/exif/1.0/' exif:GPSLatitude='33,51.4S' exif:GPSLongitude='151,12.9E'/>"
            + "</rdf:RDF></x:xmpmeta>"
        let city = Array("SECRET city".utf8)
        let iptc: [UInt8] = [0x1c, 2, 90, 0, UInt8(city.count)] + city
        let resource = Array("Photoshop 3.0\0".utf8) + Array("8BIM".utf8) + [4, 4, 0, 0, 0, 0, 0, UInt8(iptc.count)] + iptc
        let segments = [
            EXIFBuilder(isLittleEndian: isLittleEndian).segment(main, preview: preview),
            EXIFBuilder().segment([0x013b: .text("SECRET second")]),
            JPEGParts.segment(0xe1, Array("http://ns.adobe.com/xap/1.0/\0\(xmp)".utf8)),
            JPEGParts.segment(0xe1, Array("http://ns.adobe.com/xmp/extension/\0SECRET".utf8)),
            JPEGParts.segment(0xe2, Array("ICC_PROFILE\0".utf8) + [1, 1] + Self.profile),
            JPEGParts.segment(0xe2, Array("MPF\0SECRET".utf8)), JPEGParts.segment(0xed, resource),
            JPEGParts.segment(0xe0, Array("JFXX\0".utf8) + [0x10] + preview), JPEGParts.segment(0xef, Array("SECRET".utf8)),
            JPEGParts.segment(0xf0, Array("SECRET".utf8)), JPEGParts.segment(0xfe, Array("SECRET comment".utf8)),
        ]
        return JPEGParts.inserting(segments.flatMap { $0 }, into: jpeg) + preview + Array("SECRET trailer".utf8)
    }

    /// An ICC profile, which is part of the picture.
    static let profile = [UInt8](repeating: 7, count: 128)
}
