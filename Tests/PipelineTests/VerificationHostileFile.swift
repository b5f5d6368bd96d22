import Foundation
import Testing

/// A file that was made to break its reader, and how it must be answered.
struct HostileUpload: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable, Equatable {
        case refused(APIRefusal)
        /// Nothing in it claims anything.
        case noRecord
        /// Credentials of some sort; the states that they may have.
        case credentials(Set<String>)
    }

    let name: String
    let outcome: Outcome
    let bytes: @Sendable () throws -> [UInt8]
    var testDescription: String { name }

    init(_ name: String, _ outcome: Outcome, _ bytes: @escaping @Sendable () throws -> [UInt8]) {
        self.name = name
        self.outcome = outcome
        self.bytes = bytes
    }

    /// Either is true of what is no sound container: there is nothing to be found, or it cannot be looked for.
    private static let brokenManifest = Outcome.credentials(["unreadable", "invalid"])

    static let all: [HostileUpload] = [
        .init("empty", .refused(.validationError)) { [] },
        .init("one byte", .refused(.unsupportedMediaType)) { [0xff] },
        .init("text", .refused(.unsupportedMediaType)) { Array("<html><body onload=alert(1)>".utf8) },
        .init("noise", .refused(.unsupportedMediaType)) { [1] + noise(200_000) },
        .init("an archive", .refused(.unsupportedMediaType)) { [0x50, 0x4b, 3, 4] + noise(1000) },
        .init("SVG", .refused(.unsupportedMediaType)) { Array("<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8) },
        .init("PDF", .refused(.unsupportedMediaType)) { Array("%PDF-1.7\n".utf8) + noise(1000) },
        .init("a JPEG's start and nothing more", .credentials(["unreadable"])) { [0xff, 0xd8, 0xff, 0xe0] },
        .init("noise after a JPEG's start", .noRecord) { [0xff, 0xd8, 0xff, 0xeb] + noise(1_000_000) },
        .init("JUMBF boxes 1,000 deep", brokenManifest) { photo(carrying: nested(1000)) },
        .init("JUMBF boxes 1,000 deep, alone", brokenManifest) { nested(1000) },
        .init("JUMBF boxes 20,000 deep, alone", brokenManifest) { nested(20_000) },
        .init("JUMBF box of 4 GB", brokenManifest) { photo(carrying: [0xff, 0xff, 0xff, 0xff] + nested(2).dropFirst(4)) },
        .init("moov boxes 20,000 deep", .credentials(["unreadable"])) {
            ftyp + (1...20_000).reversed().flatMap { number($0 * 8) + Array("moov".utf8) }
        },
        .init("box of 2^63 bytes", .noRecord) {
            ftyp + number(1) + Array("mdat".utf8) + [0x7f] + [UInt8](repeating: 0xff, count: 7)
        },
        .init("TIFF whose directory is its own successor", .credentials(["unreadable"])) {
            Array("II".utf8) + [42, 0, 8, 0, 0, 0, 0, 0, 8, 0, 0, 0]
        },
        .init("PNG chunk of 2 GB", .credentials(["unreadable"])) { png + [0x7f, 0xff, 0xff, 0xff] + Array("caBX".utf8) },
        .init("PNG with text that inflates to 64 MB", .noRecord) { try bomb() },
        .init("WebP chunk of 4 GB", .credentials(["unreadable"])) {
            Array("RIFF".utf8) + [0xff, 0xff, 0xff, 0xff] + Array("WEBPC2PA".utf8) + [0xff, 0xff, 0xff, 0xff]
        },
    ]

    static let ftyp = box("ftyp", Array("isom".utf8) + [0, 0, 0, 0])
    private static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]

    /// 100 MB that begin as a video does.
    static func video() -> [UInt8] { ftyp + [UInt8](repeating: 0, count: 100_000_000 - ftyp.count) }

    /// A sound photo of so many bytes, most of them comments.
    static func photo(bytes: Int) throws -> [UInt8] {
        let photo = try ForeignPhoto.plain()
        let comment = [0xff, 0xfe, 0xff, 0xff] + [UInt8](repeating: 0x20, count: 65_533)
        let comments = Array(repeatElement(comment, count: max(0, bytes - photo.count) / comment.count).joined())
        return photo.prefix(2) + comments + photo.dropFirst(2)
    }

    /// JPEG with one APP11 segment that holds a JUMBF box (ISO/IEC 19566-5 §D.2).
    private static func photo(carrying box: [UInt8]) -> [UInt8] {
        // Common identifier, box instance, packet sequence; length and type of the box are part of it.
        let segment = Array("JP".utf8) + [0, 1, 0, 0, 0, 1] + box
        return [0xff, 0xd8, 0xff, 0xeb] + number(segment.count + 2).suffix(2) + segment + [0xff, 0xd9]
    }

    /// Superboxes, each with its description, one inside the other (ISO/IEC 19566-5 §A.3).
    private static func nested(_ depth: Int) -> [UInt8] {
        let type = Array("c2pa".utf8) + [0, 0x11, 0, 0x10, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71, 3]
        let description = box("jumd", type + Array("c2pa\0".utf8))
        let level = 8 + description.count
        return (1...depth).reversed().flatMap { number($0 * level) + Array("jumb".utf8) + description }
    }

    /// A compressed-text chunk (PNG, third edition, §11.3.3.3): zlib around the same stream that gzip has.
    private static func bomb() throws -> [UInt8] {
        let zeros = 64 << 20
        let deflated = try Bomb.gzipOfZeros(bytes: zeros).dropFirst(10).dropLast(8)
        // Adler-32 of zeros (RFC 1950 §8.2).
        let text = Array("Comment\0\0".utf8) + [0x78, 0x9c] + deflated + number((zeros % 65_521) << 16 | 1)
        let header = number(1) + number(1) + [8, 0, 0, 0, 0]
        return png + chunk("IHDR", header) + chunk("zTXt", text) + chunk("IEND", [])
    }

    /// With a checksum of zero: who looks for credentials does not look at it.
    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        number(content.count) + Array(type.utf8) + content + [0, 0, 0, 0]
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
