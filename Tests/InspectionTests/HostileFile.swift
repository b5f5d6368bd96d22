import Foundation
import Testing

/// A file that was made to break its reader.
struct HostileFile: Sendable, CustomTestStringConvertible {
    let name: String
    let mediaType: String
    let bytes: @Sendable () throws -> [UInt8]

    var testDescription: String { name }

    static let all: [HostileFile] = [
        .init("empty", "image/jpeg") { [] },
        .init("one byte", "video/mp4") { [0xff] },
        .init("100 MB of zeros", "image/jpeg") { [UInt8](repeating: 0, count: 100_000_000) },
        .init("100 MB of zeros", "video/mp4") { [UInt8](repeating: 0, count: 100_000_000) },
        .init("noise", "image/png") { noise(100_000) },
        .init("noise after a JPEG's start", "image/jpeg") { [0xff, 0xd8, 0xff, 0xeb] + noise(1_000_000) },
        .init("signed photo, half", "image/jpeg") {
            let bytes = try Fixtures.resource("signed.jpg")
            return Array(bytes.prefix(bytes.count / 2))
        },
        .init("JUMBF boxes 1,000 deep", "image/jpeg") { photo(carrying: nested(1000)) },
        .init("JUMBF boxes 1,000 deep, alone", "application/c2pa") { nested(1000) },
        .init("JUMBF boxes 20,000 deep, alone", "application/c2pa") { nested(20_000) },
        .init("JUMBF box of 4 GB", "image/jpeg") { photo(carrying: [0xff, 0xff, 0xff, 0xff] + nested(2).dropFirst(4)) },
        .init("moov boxes 20,000 deep", "video/mp4") {
            box("ftyp", Array("isom".utf8) + [0, 0, 0, 0]) + (1...20_000).reversed().flatMap { number($0 * 8) + Array("moov".utf8) }
        },
        .init("box of 2^63 bytes", "video/mp4") {
            box("ftyp", Array("isom".utf8) + [0, 0, 0, 0]) + number(1) + Array("mdat".utf8) + [0x7f] + [UInt8](repeating: 0xff, count: 7)
        },
        .init("TIFF whose directory is its own successor", "image/tiff") { Array("II".utf8) + [42, 0, 8, 0, 0, 0, 0, 0, 8, 0, 0, 0] },
        .init("PNG chunk of 2 GB", "image/png") { [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0x7f, 0xff, 0xff, 0xff] + Array("caBX".utf8) },
        .init("WebP chunk of 4 GB", "image/webp") {
            Array("RIFF".utf8) + [0xff, 0xff, 0xff, 0xff] + Array("WEBPC2PA".utf8) + [0xff, 0xff, 0xff, 0xff]
        },
    ]

    private init(_ name: String, _ mediaType: String, _ bytes: @escaping @Sendable () throws -> [UInt8]) {
        self.name = "\(name) as \(mediaType)"
        self.mediaType = mediaType
        self.bytes = bytes
    }

    /// The signed photo with 98 MB of comments, which its hash covers.
    static func padded() throws -> [UInt8] {
        let photo = try Fixtures.resource("signed.jpg")
        let comment = [0xff, 0xfe, 0xff, 0xff] + [UInt8](repeating: 0, count: 65_533)
        var bytes = Array(photo.prefix(2))
        for _ in 0..<1500 { bytes += comment }
        return bytes + photo.dropFirst(2)
    }

    /// JPEG with one APP11 segment that holds a JUMBF box (ISO/IEC 19566-5 §D.2).
    private static func photo(carrying box: [UInt8]) -> [UInt8] {
        // Common identifier, box instance, packet sequence; length and type of the box are part of it.
        let segment = Array("JP".utf8) + [0, 1, 0, 0, 0, 1] + box
        return [0xff, 0xd8, 0xff, 0xeb] + number(segment.count + 2).suffix(2) + segment + [0xff, 0xd9]
    }

    /// Superboxes, each with its description, one inside the other (ISO/IEC 19566-5 §A.3).
    private static func nested(_ depth: Int) -> [UInt8] {
        let description = box(
            "jumd", Array("c2pa".utf8) + [0, 0x11, 0, 0x10, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71, 3] + Array("c2pa\0".utf8))
        let level = 8 + description.count
        return (1...depth).reversed().flatMap { number($0 * level) + Array("jumb".utf8) + description }
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] { number(8 + content.count) + Array(type.utf8) + content }

    private static func number(_ value: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).bigEndian) { Array($0) } }

    /// The same in every run (xorshift).
    private static func noise(_ count: Int) -> [UInt8] {
        var state: UInt64 = 0x9e37_79b9_7f4a_7c15
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state)
        }
    }
}
