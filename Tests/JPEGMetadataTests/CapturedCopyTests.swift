import Foundation
import Models
import Testing

@testable import JPEGMetadata

@Suite("Photo as a capturing device stores it")
struct CapturedCopyTests {
    private func facts(
        at time: Double = 1_790_000_000.257, secondsFromUTC: Int = 7200, orientation: Int = 8
    ) -> CameraFacts {
        CameraFacts(
            capturedAt: Date(timeIntervalSince1970: time), secondsFromUTC: secondsFromUTC, model: "iPhone 16 Pro Max",
            orientation: orientation)
    }

    private func revealing() throws -> [UInt8] { try RevealingPhoto.make(try TestPictures.jpeg(width: 48, height: 32)) }

    @Test("states what the device knows", arguments: [true, false])
    func facts(hasEXIF: Bool) throws {
        let source = hasEXIF ? try revealing() : try TestPictures.jpeg(width: 48, height: 32)
        let fields = try #require(EXIFReader.read(jpeg: try JPEGSegments.capturedCopy(of: source, facts())))
        #expect(fields.make == "Apple" && fields.model == "iPhone 16 Pro Max" && fields.orientation == 8 && !fields.hasGPS)
        #expect(fields.dateTimeOriginal == "2026:09:21 16:13:20" && fields.offsetTimeOriginal == "+02:00")
        #expect(fields.subSecTimeOriginal == "257")
        #expect(fields.pixelWidth == 48 && fields.pixelHeight == 32)
        let time = try #require(fields.captureTime)
        #expect(abs(time.timeIntervalSince1970 - 1_790_000_000.257) < 1e-6)
    }

    @Test(
        "has the time to the millisecond on the device's clock",
        arguments: [
            (1_790_000_000.0004, 0, "2026:09:21 14:13:20", "000", "+00:00"),
            (1_790_000_000.9996, 0, "2026:09:21 14:13:21", "000", "+00:00"),
            (1_790_000_000.25, -34_200, "2026:09:21 04:43:20", "250", "-09:30"),
            (1_790_000_000.25, 45_900, "2026:09:22 02:58:20", "250", "+12:45"),
            (1_790_000_000.25, 3661, "2026:09:21 15:14:20", "250", "+01:01"), (0.007, -1, "1970:01:01 00:00:00", "007", "+00:00"),
            (0.5, .min, "1969:12:31 00:01:00", "500", "-23:59"), (-1e30, 0, "0000:01:01 00:00:00", "000", "+00:00"),
        ] as [(Double, Int, String, String, String)])
    func time(seconds: Double, secondsFromUTC: Int, text: String, subSeconds: String, offset: String) {
        let time = EXIFTime(Date(timeIntervalSince1970: seconds), secondsFromUTC: secondsFromUTC)
        #expect(time.dateTime == text && time.subSeconds == subSeconds && time.offset == offset)
    }

    @Test("has the coded picture byte for byte")
    func picture() throws {
        let plain = try TestPictures.jpeg(width: 48, height: 32)
        let copy = try JPEGSegments.capturedCopy(of: plain, facts())
        // A plain file is SOI, JFIF and picture: EXIF is inserted before the picture.
        let head = 2 + 18
        #expect(copy.prefix(head) == plain.prefix(head) && copy.suffix(plain.count - head) == plain.suffix(plain.count - head))
        let profile = JPEGParts.segment(0xe2, Array("ICC_PROFILE\0".utf8) + [1, 1] + RevealingPhoto.profile)
        let other = try JPEGSegments.capturedCopy(of: try revealing(), facts())
        #expect(other.suffix(plain.count - head) == plain.suffix(plain.count - head))
        #expect(other.dropLast(plain.count - head).suffix(profile.count) == profile[...])
    }

    @Test("made again is the same photo")
    func again() throws {
        let copy = try JPEGSegments.capturedCopy(of: try revealing(), facts())
        #expect(try JPEGSegments.capturedCopy(of: copy, facts()) == copy)
    }

    @Test("has no place, whatever the camera wrote")
    func noPlace() throws {
        let copy = try JPEGSegments.capturedCopy(of: try revealing(), facts())
        #expect(EXIFReader.read(jpeg: copy)?.hasGPS == false)
        let text = String(decoding: copy, as: Unicode.ASCII.self)
        for word in ["SECRET", "GPS", "xap", "MPF", "JFXX", "Photoshop", "Apple iOS"] { #expect(!text.contains(word)) }
    }

    @Test("refuses a model's name that is none, and a photo without a size")
    func refused() throws {
        let jpeg = try TestPictures.jpeg(width: 8, height: 8)
        let long = CameraFacts(
            capturedAt: Date(), secondsFromUTC: 0, model: String(repeating: "x", count: 70_000), orientation: 1)
        #expect { try JPEGSegments.capturedCopy(of: jpeg, long) } throws: { ($0 as? JPEGError)?.code == .tooLarge }
        let scan = JPEGParts.segment(0xda, [1, 1, 0, 0, 63, 0]) + [1, 2, 0xff, 0xd9]
        for frame in [[], JPEGParts.segment(0xc0, [8, 0, 0, 0, 8, 1, 1, 0x11, 0]), JPEGParts.segment(0xc0, [8, 0, 8, 0])] {
            #expect { try JPEGSegments.capturedCopy(of: [0xff, 0xd8] + frame + scan, facts()) } throws: {
                ($0 as? JPEGError)?.code == .corrupt
            }
        }
    }

    @Test("is read by exiftool as it was written", .enabled(if: ExifToolJSON.isInstalled, "needs exiftool"))
    func exiftool() throws {
        let source = try revealing()
        let before = try ExifToolJSON.read(source)
        #expect(before["EXIF:GPSDateStamp"] != nil && before["XMP:GPSLatitude"] != nil && before["IPTC:City"] != nil)
        let after = try ExifToolJSON.read(try JPEGSegments.capturedCopy(of: source, facts()))
        let written: [String: String] = [
            "Make": "Apple", "Model": "iPhone 16 Pro Max", "Orientation": "8", "ModifyDate": "2026:09:21 16:13:20",
            "DateTimeOriginal": "2026:09:21 16:13:20", "CreateDate": "2026:09:21 16:13:20", "OffsetTime": "+02:00",
            "OffsetTimeOriginal": "+02:00", "OffsetTimeDigitized": "+02:00", "SubSecTime": "257", "SubSecTimeOriginal": "257",
            "SubSecTimeDigitized": "257", "ExifImageWidth": "48", "ExifImageHeight": "32", "ExifVersion": "0232",
        ]
        for (tag, value) in written { #expect(after["EXIF:" + tag].map { "\($0)" } == value, "\(tag)") }
        // What the camera said of the exposure stays.
        for tag in ["ExposureTime", "ISO", "LensInfo", "LensModel"] {
            #expect(after["EXIF:" + tag].map { "\($0)" } == before["EXIF:" + tag].map { "\($0)" } && after["EXIF:" + tag] != nil, "\(tag)")
        }
        #expect(!after.contains { "\($0.value)".contains("SECRET") } && after["ExifTool:Error"] == nil)
        // The profile is invalid already in the source.
        #expect(after["ExifTool:Warning"].map { "\($0)".contains("ICC_Profile") } ?? true)
    }

    @Test("shows exiftool no place", .enabled(if: ExifToolJSON.isInstalled, "needs exiftool"))
    func exiftoolFindsNoPlace() throws {
        let after = try ExifToolJSON.read(try JPEGSegments.capturedCopy(of: try revealing(), facts()))
        #expect(after["EXIF:Model"] as? String == "iPhone 16 Pro Max")
        #expect(!after.contains { "\($0.key) \($0.value)".localizedCaseInsensitiveContains("GPS") || "\($0.value)".contains("SECRET") })
    }

    @Test("survives truncations and changed bytes, and never lets a place through")
    func damaged() throws {
        let source = try RevealingPhoto.make(try TestPictures.jpeg(width: 16, height: 16))
        for count in stride(from: 0, to: source.count, by: 3) { _ = try? JPEGSegments.capturedCopy(of: Array(source[..<count]), facts()) }
        for index in stride(from: 0, to: source.count, by: 2) {
            var changed = source
            changed[index] ^= 0xff
            guard let copy = try? JPEGSegments.capturedCopy(of: changed, facts()) else { continue }
            let fields = try #require(EXIFReader.read(jpeg: copy))
            #expect(!fields.hasGPS && fields.model == "iPhone 16 Pro Max" && fields.subSecTimeOriginal == "257")
        }
    }
}
