import Foundation
import Imaging
import JPEGMetadata
import Models
import Testing

@Suite("Public copy of a JPEG")
struct JPEGSegmentsTests {
    @Test("holds nothing private", arguments: [true, false])
    func nothingPrivate(isLittleEndian: Bool) throws {
        let source = try RevealingPhoto.make(try TestPictures.jpeg(width: 48, height: 32), isLittleEndian: isLittleEndian)
        let copy = try JPEGSegments.publicCopy(of: source)
        let text = String(decoding: copy, as: Unicode.ASCII.self)
        for word in ["SECRET", "GPS", "xap", "MPF", "JFXX", "Photoshop", "Apple iOS"] { #expect(!text.contains(word)) }
        // Only one SOI: the previews were removed.
        #expect(copy.indices.dropLast().count { copy[$0] == 0xff && copy[$0 + 1] == 0xd8 } == 1)
    }

    @Test("keeps scan data, colour profile, orientation, camera and time")
    func kept() throws {
        let jpeg = try TestPictures.jpeg(width: 48, height: 32)
        let source = try RevealingPhoto.make(jpeg)
        let copy = try JPEGSegments.publicCopy(of: source)
        #expect(JPEGParts.scans(of: copy) == JPEGParts.scans(of: jpeg))
        #expect(copy.count > jpeg.count)
        let profile = JPEGParts.segment(0xe2, Array("ICC_PROFILE\0".utf8) + [1, 1] + RevealingPhoto.profile)
        #expect(copy.indices.contains { copy[$0...].starts(with: profile) })
        var expected = try #require(EXIFReader.read(jpeg: source))
        #expect(expected.hasGPS && expected.orientation == 6)
        expected.hasGPS = false
        #expect(EXIFReader.read(jpeg: copy) == expected)
        #expect(try JPEGDecoder.decodeRGB(copy, fitting: 48) == JPEGDecoder.decodeRGB(jpeg, fitting: 48))
    }

    @Test("of a copy is the same copy")
    func idempotent() throws {
        let copy = try JPEGSegments.publicCopy(of: RevealingPhoto.make(try TestPictures.jpeg(width: 48, height: 32)))
        #expect(try JPEGSegments.publicCopy(of: copy) == copy)
    }

    @Test("needs no EXIF")
    func plain() throws {
        let jpeg = try TestPictures.jpeg(width: 48, height: 32)
        #expect(try JPEGSegments.publicCopy(of: jpeg) == jpeg)
    }

    @Test("drops a JFIF preview and segments between scans")
    func hidden() throws {
        let jpeg = try TestPictures.jpeg(width: 48, height: 32)
        var source = jpeg
        let jfif = JPEGParts.segment(0xe0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 1, 1] + Array("KEY".utf8))
        #expect(jpeg[2] == 0xff && jpeg[3] == 0xe0)
        source.replaceSubrange(2..<4 + Int(jpeg[5]), with: jfif)
        source.insert(contentsOf: JPEGParts.segment(0xfe, Array("SECRET".utf8)), at: source.count - 2)
        #expect(try JPEGSegments.publicCopy(of: source) == jpeg)
    }

    @Test("keeps Adobe's colour transform, and nothing that follows it", arguments: [12, 13, 40])
    func colourTransform(bytes: Int) throws {
        let jpeg = try TestPictures.jpeg(width: 48, height: 32)
        // With JFIF the colours are known without it.
        let bare = Array(jpeg.prefix(2) + jpeg[(4 + Int(jpeg[5]))...])
        let adobe = Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0]
        let rest = [UInt8](repeating: UInt8(ascii: "S"), count: bytes - adobe.count)
        let source = JPEGParts.inserting(JPEGParts.segment(0xee, adobe + rest), into: bare)
        let copy = try JPEGSegments.publicCopy(of: source)
        #expect(copy == JPEGParts.inserting(JPEGParts.segment(0xee, adobe), into: bare))
        let pixels = try JPEGDecoder.decodeRGB(copy, fitting: 48)
        #expect(try pixels == JPEGDecoder.decodeRGB(source, fitting: 48))
        // Without the transform they are others, so the test can fail.
        #expect(try pixels != JPEGDecoder.decodeRGB(bare, fitting: 48))
    }

    @Test("leaves stuffed bytes, restarts and fill bytes in scans alone")
    func scanBytes() throws {
        let head: [UInt8] = [0xff, 0xd8] + JPEGParts.segment(0xc0, [8, 0, 8, 0, 8, 1, 1, 0x11, 0])
        let scan = JPEGParts.segment(0xda, [1, 1, 0, 0, 63, 0]) + [1, 0xff, 0x00, 2, 0xff, 0xd0, 3, 0xff, 0xd7, 4]
        let other = JPEGParts.segment(0xda, [1, 1, 0, 0, 63, 0]) + [0xff, 0x00]
        let table = JPEGParts.segment(0xc4, [0, 1])
        let sound = head + scan + table + other + [0xff, 0xd9]
        #expect(try JPEGSegments.publicCopy(of: sound) == sound)
    }

    @Test("ignores EXIF after the first scan, as readers do")
    func lateEXIF() throws {
        let jpeg = try TestPictures.jpeg(width: 48, height: 32)
        let late = Array(jpeg.dropLast(2)) + EXIFBuilder().segment(EXIFReaderTests.sound) + jpeg.suffix(2)
        #expect(try JPEGSegments.publicCopy(of: late) == jpeg)
    }

    @Test(
        "refuses what is damaged",
        arguments: [
            [], [0xff], [0xff, 0xd8], [0xff, 0xd8, 0xff, 0xd9], [0xff, 0xd8, 0xff, 0xe1, 0, 1, 0, 0],
            [0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff, 0, 0],
            [0xff, 0xd8, 0xff, 0xda, 0, 2, 1, 2, 3], [0xff, 0xd8, 0xff, 0xda, 0, 2, 1, 0xff], [0xff, 0xd8, 0xff, 0xff, 0xff, 0xff],
            [0xff, 0xd8, 0, 0, 0xff, 0xda], [0xff, 0xd8, 0xff, 0xd8, 0xff, 0xd9], Array("GIF89a".utf8),
        ] as [[UInt8]])
    func damaged(bytes: [UInt8]) {
        #expect { try JPEGSegments.publicCopy(of: bytes) } throws: { ($0 as? JPEGError)?.code == .corrupt }
    }

    @Test("never crashes on a truncation or a changed byte, and never lets GPS through")
    func fuzzed() throws {
        let source = try RevealingPhoto.make(try TestPictures.jpeg(width: 16, height: 16))
        for count in stride(from: 0, to: source.count, by: 3) { _ = try? JPEGSegments.publicCopy(of: Array(source[..<count])) }
        for index in stride(from: 0, to: source.count, by: 2) {
            var changed = source
            changed[index] = changed[index] ^ 0xff
            guard let copy = try? JPEGSegments.publicCopy(of: changed) else { continue }
            #expect(EXIFReader.read(jpeg: copy)?.hasGPS == false)
        }
    }

    @Test("shows exiftool no place, number or note, and the same picture", .enabled(if: ExifToolJSON.isInstalled, "needs exiftool"))
    func exiftool() throws {
        let source = try RevealingPhoto.make(try TestPictures.jpeg(width: 48, height: 32))
        let before = try ExifToolJSON.read(source)
        // All data are found in the original, so the test can fail.
        for tag in ["EXIF:GPSLatitude", "XMP:GPSLatitude", "EXIF:SerialNumber", "IPTC:City", "EXIF:ThumbnailImage", "File:Comment"] {
            #expect(before[tag] != nil, "\(tag)")
        }
        let copy = try JPEGSegments.publicCopy(of: source)
        let after = try ExifToolJSON.read(copy)
        let groups = Set(after.keys.map { String($0.prefix { $0 != ":" }) })
        #expect(groups.isSubset(of: ["SourceFile", "ExifTool", "File", "JFIF", "EXIF", "ICC_Profile", "Composite"]))
        #expect(!after.contains { "\($0.key) \($0.value)".localizedCaseInsensitiveContains("GPS") || "\($0.value)".contains("SECRET") })
        #expect(after["ExifTool:Error"] == nil)
        // The original's profile is already invalid.
        #expect(after["ExifTool:Warning"].map { "\($0)".contains("ICC_Profile") } ?? true)
        #expect(after["EXIF:Model"] as? String == "iPhone 15 Pro" && after["EXIF:LensModel"] as? String == "back triple camera")
        for tag in [
            "EXIF:Orientation", "EXIF:ExposureTime", "EXIF:ISO", "EXIF:LensInfo", "EXIF:DateTimeOriginal", "EXIF:OffsetTimeOriginal",
        ] {
            #expect(after[tag].map { "\($0)" } == before[tag].map { "\($0)" } && after[tag] != nil, "\(tag)")
        }
    }

    @Test("is made of sample photos without a change to the picture", .enabled(if: SamplePhotos.arePresent, "needs ../shared/data/rgbd"))
    func samples() throws {
        for jpeg in try SamplePhotos.all() {
            let copy = try JPEGSegments.publicCopy(of: jpeg)
            let (before, after) = (JPEGParts.scans(of: jpeg), JPEGParts.scans(of: copy))
            #expect(!after.isEmpty && before.starts(with: after))
        }
    }
}
