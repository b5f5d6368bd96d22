import JPEGMetadata
import Models
import Testing

@Suite("EXIF reader")
struct EXIFReaderTests {
    static let sound: [UInt16: EXIFValue] = [
        0x010f: .text("Apple"), 0x0110: .text("iPhone 15 Pro"), 0x0112: .short(6),
        0x8769: .directory([
            0x9003: .text("2026:11:21 07:00:00"), 0x9011: .text("+01:00"), 0x9291: .text("257"),
        ]),
    ]

    private func read(_ segments: [UInt8]...) throws -> EXIFFields? {
        EXIFReader.read(jpeg: JPEGParts.inserting(segments.flatMap { $0 }, into: try TestPictures.jpeg(width: 48, height: 32)))
    }

    @Test("reads both byte orders", arguments: [true, false])
    func byteOrders(isLittleEndian: Bool) throws {
        let fields = try #require(try read(EXIFBuilder(isLittleEndian: isLittleEndian).segment(Self.sound)))
        #expect(fields.make == "Apple" && fields.model == "iPhone 15 Pro" && fields.orientation == 6 && !fields.hasGPS)
        #expect(fields.dateTimeOriginal == "2026:11:21 07:00:00" && fields.offsetTimeOriginal == "+01:00")
        #expect(fields.subSecTimeOriginal == "257")
        #expect(fields.pixelWidth == 48 && fields.pixelHeight == 32)
    }

    @Test("gives size alone for a photo without EXIF, nothing for another file")
    func withoutEXIF() throws {
        var expected = EXIFFields()
        (expected.pixelWidth, expected.pixelHeight) = (48, 32)
        #expect(try read() == expected)
        for bytes: [UInt8] in [[], [0xff], [0xff, 0xd8], [0x89, 0x50, 0x4e, 0x47], Array("Exif\0\0MM".utf8)] {
            #expect(EXIFReader.read(jpeg: bytes) == nil)
        }
    }

    @Test("says that there is GPS without reading it")
    func gps() throws {
        #expect(try read(EXIFBuilder().segment([0x8825: .directory([0x0001: .text("N")])]))?.hasGPS == true)
    }

    @Test("reads a prefix as far as it goes")
    func prefix() throws {
        let exif = EXIFBuilder().segment(Self.sound)
        let jpeg = JPEGParts.inserting(exif, into: try TestPictures.jpeg(width: 48, height: 32))
        for count in 4..<jpeg.count {
            let fields = try #require(EXIFReader.read(jpeg: Array(jpeg[..<count])))
            #expect((fields.model != nil) == (count >= 2 + exif.count))
        }
    }

    @Test("takes the first readable EXIF of several")
    func several() throws {
        let other = EXIFBuilder().segment([0x0110: .text("Other")])
        let xmp = JPEGParts.segment(0xe1, Array("http://ns.adobe.com/xap/1.0/\0<x/>".utf8))
        let broken = JPEGParts.segment(0xe1, Array("Exif\0\0XX\0*".utf8))
        #expect(try read(xmp, broken, EXIFBuilder().segment(Self.sound), other)?.model == "iPhone 15 Pro")
    }

    @Test(
        "cleans texts and bounds them",
        arguments: [
            ("  iPhone 15 Pro  ", "iPhone 15 Pro"), ("a\u{1}\nb", "ab"), ("   ", nil), ("", nil), ("a\0b", "a"),
            (String(repeating: "x", count: 900), String(repeating: "x", count: 100)), (String(repeating: "x", count: 2000), nil),
        ] as [(String, String?)])
    func texts(written: String, model: String?) throws {
        #expect(try read(EXIFBuilder().segment([0x0110: .text(written)]))?.model == model)
    }

    @Test("takes no orientation beyond 1 to 8", arguments: [(0, nil), (1, 1), (8, 8), (9, nil), (65535, nil)] as [(UInt16, Int?)])
    func orientations(written: UInt16, read expected: Int?) throws {
        #expect(try read(EXIFBuilder().segment([0x0112: .short(written)]))?.orientation == expected)
    }

    /// Tags whose type, count and value are inconsistent.
    static let lyingFields: [(UInt16, UInt16, UInt32, UInt32)] = [
        // Directory offsets to itself, beyond the end, and the largest possible.
        (0x8769, 4, 1, 8), (0x8769, 4, 1, 0x1000), (0x8769, 4, 1, .max), (0x8769, 4, 0, 8),
        // Texts and numbers with huge counts, offsets outside of the structure, and unknown types.
        (0x0110, 2, .max, 8), (0x0110, 2, 1000, 8), (0x0110, 2, 20, .max), (0x0110, 2, 0, 0), (0x0110, 99, 5, 8),
        (0x0110, 0xffff, .max, .max), (0x0112, 3, .max, 8), (0x0112, 12, 1, 8), (0x8825, 4, 1, .max),
    ]

    @Test("survives false offsets and counts", arguments: lyingFields)
    func lies(tag: UInt16, type: UInt16, count: UInt32, word: UInt32) throws {
        for isLittleEndian in [true, false] {
            let segment = EXIFBuilder(isLittleEndian: isLittleEndian).segment([tag: .raw(type, count, word)])
            let fields = try #require(try read(segment))
            #expect(fields.orientation == nil && fields.dateTimeOriginal == nil && fields.pixelWidth == 48)
            #expect(fields.model == nil)
        }
    }

    @Test("survives every truncation of the structure and every changed byte")
    func damaged() throws {
        let structure = EXIFBuilder().structure(Self.sound)
        let head: [UInt8] = [0xff, 0xd8]
        for count in structure.indices {
            _ = EXIFReader.read(jpeg: head + JPEGParts.segment(0xe1, Array("Exif\0\0".utf8) + structure[..<count]))
        }
        for index in structure.indices {
            for value: UInt8 in [0, 1, 0x7f, 0x80, 0xff] {
                var changed = structure
                changed[index] = value
                _ = EXIFReader.read(jpeg: head + JPEGParts.segment(0xe1, Array("Exif\0\0".utf8) + changed))
            }
        }
    }
}
