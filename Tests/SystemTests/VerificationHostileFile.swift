import Foundation
import TestSupport
import Testing

/// A file crafted to break its reader, and the expected result.
struct HostileUpload: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable, Equatable {
        case refused(APIRefusal)
        /// No record and no credentials.
        case noRecord
        /// Credentials in one of these states.
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

    /// For an invalid container both states are acceptable.
    private static let brokenManifest = Outcome.credentials(["unreadable", "invalid"])

    static let all: [HostileUpload] = [
        .init("empty", .refused(.validationError)) { [] },
        .init("one byte", .refused(.unsupportedMediaType)) { [0xff] },
        .init("text", .refused(.unsupportedMediaType)) { Array("<html><body onload=alert(1)>".utf8) },
        .init("noise", .refused(.unsupportedMediaType)) { [1] + HostileBytes.noise(200_000) },
        .init("an archive", .refused(.unsupportedMediaType)) { [0x50, 0x4b, 3, 4] + HostileBytes.noise(1000) },
        .init("SVG", .refused(.unsupportedMediaType)) { Array("<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8) },
        .init("PDF", .refused(.unsupportedMediaType)) { Array("%PDF-1.7\n".utf8) + HostileBytes.noise(1000) },
        .init("a JPEG's start and nothing more", .credentials(["unreadable"])) { [0xff, 0xd8, 0xff, 0xe0] },
        .init("noise after a JPEG's start", .noRecord) { [0xff, 0xd8, 0xff, 0xeb] + HostileBytes.noise(1_000_000) },
        .init("JUMBF boxes 1,000 deep", brokenManifest) { HostileBytes.photo(carrying: HostileBytes.nested(1000)) },
        .init("JUMBF boxes 1,000 deep, alone", brokenManifest) { HostileBytes.nested(1000) },
        .init("JUMBF boxes 20,000 deep, alone", brokenManifest) { HostileBytes.nested(20_000) },
        .init("JUMBF box of 4 GB", brokenManifest) {
            HostileBytes.photo(carrying: [0xff, 0xff, 0xff, 0xff] + HostileBytes.nested(2).dropFirst(4))
        },
        .init("moov boxes 20,000 deep", .credentials(["unreadable"])) {
            HostileBytes.nestedMovie(20_000)
        },
        .init("box of 2^63 bytes", .noRecord) { HostileBytes.endlessMovie },
        .init("TIFF whose directory is its own successor", .credentials(["unreadable"])) {
            Array("II".utf8) + [42, 0, 8, 0, 0, 0, 0, 0, 8, 0, 0, 0]
        },
        .init("PNG chunk of 2 GB", .credentials(["unreadable"])) { png + [0x7f, 0xff, 0xff, 0xff] + Array("caBX".utf8) },
        .init("PNG with text that inflates to 64 MB", .noRecord) { try bomb() },
        .init("WebP chunk of 4 GB", .credentials(["unreadable"])) {
            Array("RIFF".utf8) + [0xff, 0xff, 0xff, 0xff] + Array("WEBPC2PA".utf8) + [0xff, 0xff, 0xff, 0xff]
        },
    ]

    private static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]

    /// 100 MB that begin like a video.
    static func video() -> [UInt8] {
        HostileBytes.ftyp + [UInt8](repeating: 0, count: 100_000_000 - HostileBytes.ftyp.count)
    }

    /// A valid photo of about this size, most of it comments.
    static func photo(bytes: Int) throws -> [UInt8] {
        let photo = try ForeignPhoto.plain()
        let comment = [0xff, 0xfe, 0xff, 0xff] + [UInt8](repeating: 0x20, count: 65_533)
        let comments = Array(repeatElement(comment, count: max(0, bytes - photo.count) / comment.count).joined())
        return photo.prefix(2) + comments + photo.dropFirst(2)
    }

    /// A compressed-text chunk (PNG, third edition, §11.3.3.3): the stream of gzip with the wrapping of zlib.
    private static func bomb() throws -> [UInt8] {
        let zeros = 64 << 20
        let deflated = try Bomb.gzipOfZeros(bytes: zeros).dropFirst(10).dropLast(8)
        // Adler-32 of zeros (RFC 1950 §8.2).
        let text = Array("Comment\0\0".utf8) + [0x78, 0x9c] + deflated + HostileBytes.number((zeros % 65_521) << 16 | 1)
        let header = HostileBytes.number(1) + HostileBytes.number(1) + [8, 0, 0, 0, 0]
        return png + chunk("IHDR", header) + chunk("zTXt", text) + chunk("IEND", [])
    }

    /// With a checksum of zero, since readers of credentials do not check it.
    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        HostileBytes.number(content.count) + Array(type.utf8) + content + [0, 0, 0, 0]
    }
}
