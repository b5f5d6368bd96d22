import CaptureProtocol
import Foundation
import ManifestStore
import Models
import Testing

@testable import ContentCredentials

/// Photos into which a store is laid without the library reading them.
@Suite("Stores of photos")
struct PlainPhotoTests {
    /// Segments with which a photo begins.
    struct Beginning: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let segments: [[UInt8]]
        /// How many of them come before the store.
        let before: Int

        private static let jfif: [UInt8] = [0xff, 0xe0, 0, 16] + Array("JFIF\0".utf8) + [1, 2, 0, 0, 1, 0, 1, 0, 0]
        private static let jfxx: [UInt8] = [0xff, 0xe0, 0, 8] + Array("JFXX\0".utf8) + [0x10]
        private static let comment: [UInt8] = [0xff, 0xfe, 0, 4, 1, 2]

        static let all = [
            Beginning(testDescription: "JFIF, then EXIF", segments: [jfif, Fixture.exifSegment], before: 1),
            Beginning(testDescription: "EXIF, then JFIF", segments: [Fixture.exifSegment, jfif], before: 2),
            Beginning(testDescription: "JFIF and its extension", segments: [jfif, jfxx, comment], before: 2),
            Beginning(testDescription: "EXIF without JFIF", segments: [Fixture.exifSegment, comment], before: 0),
            Beginning(testDescription: "neither", segments: [], before: 0),
        ]

        /// A photo with these segments before its tables.
        func photo() throws -> [UInt8] {
            let photo = try Fixture.makePhoto()
            var position = 2
            while (0xe0...0xef).contains(photo[position + 1]) {
                position += 2 + (Int(photo[position + 2]) << 8 | Int(photo[position + 3]))
            }
            return [0xff, 0xd8] + Array(segments.joined()) + Array(photo[position...])
        }
    }

    @Test("of a photo with more segments than stores are looked for in are laid in by the library")
    func manySegments() throws {
        let fixture = try Fixture()
        let photo = try Fixture.makePhoto()
        let interval: [UInt8] = [0xff, 0xdd, 0, 4, 0, 0]
        func with(_ count: Int) -> [UInt8] { [0xff, 0xd8] + Array(repeatElement(interval, count: count).joined()) + photo.dropFirst(2) }
        #expect(PlainPhoto(with(900)) != nil)
        #expect(PlainPhoto(with(1001)) == nil)
        for count in [900, 1001] {
            let (copy, _) = try fixture.sign(with(count))
            let report = try fixture.read(copy)
            #expect(report.state == .trusted, "\(report.validationCodes)")
        }
    }

    @Test(
        "lie behind the last APP0, or the start, as when the library lays them in, and their bindings exclude them alone",
        arguments: Beginning.all)
    func place(beginning: Beginning) throws {
        let fixture = try Fixture()
        let photo = try beginning.photo()
        #expect(PlainPhoto(photo) != nil)
        let (copy, result) = try fixture.sign(photo)
        let embedded = try #require(EmbeddedStore(jpegHead: copy))
        #expect(embedded.bytes == result.manifest)
        #expect(embedded.range.lowerBound == 2 + beginning.segments.prefix(beginning.before).joined().count)
        let identity = try #require(StoreIdentity(embedded.bytes))
        let binding = try #require(identity.binding)
        #expect(binding.excluded == embedded.range && binding.sha256 == ContentDigest(of: photo))
        #expect(Array(copy[..<embedded.range.lowerBound]) + Array(copy[embedded.range.upperBound...]) == photo)
        let report = try fixture.read(copy)
        #expect(report.state == .trusted, "\(report.validationCodes)")
        #expect(report.validationCodes.contains { $0.code == "assertion.dataHash.match" && $0.kind == .success })

        let writer = try CredentialWriter(signer: fixture.signer, timestampAuthority: nil)
        let streamed = try writer.sign(fixture.claim(), streamed: photo, room: 1 << 20)
        #expect(EmbeddedStore(jpegHead: streamed.bytes)?.range.lowerBound == embedded.range.lowerBound)
        #expect(try fixture.read(streamed.bytes) == report, "they say the same of the photo")
    }

    @Test("may be too large for one segment")
    func large() throws {
        let fixture = try Fixture()
        let claim = fixture.claim(Fixture.evidence(deviceModel: String(repeating: "x", count: 150_000)))
        let writer = try CredentialWriter(signer: fixture.signer, timestampAuthority: nil)
        let result = try writer.sign(claim, photo: fixture.photo)
        let embedded = try #require(EmbeddedStore(jpegHead: result.bytes))
        #expect(embedded.bytes == result.manifest && embedded.bytes.count > 150_000)
        #expect(StoreIdentity(embedded.bytes)?.binding?.excluded == embedded.range)
        #expect(try fixture.read(result.bytes).state == .trusted)
    }

    @Test("are left to the library in anything but a whole JPEG without APP11")
    func others() throws {
        let photo = try Fixture.makePhoto()
        let end: [UInt8] = [0xff, 0xd9]
        func beginning(_ bytes: [UInt8]) -> [UInt8] { [0xff, 0xd8] + bytes + Array(photo.dropFirst(2)) }
        let others: [(String, [UInt8])] = [
            ("nothing", []), ("a start", [0xff, 0xd8]), ("no segments", [0xff, 0xd8] + end), ("no start", Array(photo.dropFirst(2))),
            ("no end", Array(photo.dropLast())), ("credentials", try Fixture().sign().copy), ("fill bytes", beginning([0xff])),
            ("another APP11", beginning([0xff, 0xeb, 0, 3, 1])), ("a restart", beginning([0xff, 0xd0])),
            ("no length", beginning([0xff, 0xe0, 0, 1])), ("a segment without its end", [0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff] + end),
        ]
        for (name, bytes) in others { #expect(PlainPhoto(bytes) == nil, "\(name)") }
        for count in 0..<1_000 { _ = PlainPhoto(Array(photo.prefix(count)) + end) }
    }
}
