import Foundation
import TestSupport
import Testing

/// A file crafted to break its reader.
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
        .init("noise", "image/png") { HostileBytes.noise(100_000) },
        .init("noise after a JPEG's start", "image/jpeg") { [0xff, 0xd8, 0xff, 0xeb] + HostileBytes.noise(1_000_000) },
        .init("signed photo, half", "image/jpeg") {
            let bytes = try Fixtures.resource("signed.jpg")
            return Array(bytes.prefix(bytes.count / 2))
        },
        .init("JUMBF boxes 1,000 deep", "image/jpeg") { HostileBytes.photo(carrying: HostileBytes.nested(1000)) },
        .init("JUMBF boxes 1,000 deep, alone", "application/c2pa") { HostileBytes.nested(1000) },
        .init("JUMBF boxes 20,000 deep, alone", "application/c2pa") { HostileBytes.nested(20_000) },
        .init("JUMBF box of 4 GB", "image/jpeg") {
            HostileBytes.photo(carrying: [0xff, 0xff, 0xff, 0xff] + HostileBytes.nested(2).dropFirst(4))
        },
        .init("moov boxes 20,000 deep", "video/mp4") {
            HostileBytes.nestedMovie(20_000)
        },
        .init("box of 2^63 bytes", "video/mp4") { HostileBytes.endlessMovie },
        .init("TIFF whose directory is its own successor", "image/tiff") { Array("II".utf8) + [42, 0, 8, 0, 0, 0, 0, 0, 8, 0, 0, 0] },
        .init("PDF", "application/pdf") { pdf },
        .init("PDF", "image/jpeg") { pdf },
        .init("PDF that ends in noise", "application/pdf") { pdf + HostileBytes.noise(100_000) },
        .init("PNG chunk of 2 GB", "image/png") { [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0x7f, 0xff, 0xff, 0xff] + Array("caBX".utf8) },
        .init("WebP chunk of 4 GB", "image/webp") {
            Array("RIFF".utf8) + [0xff, 0xff, 0xff, 0xff] + Array("WEBPC2PA".utf8) + [0xff, 0xff, 0xff, 0xff]
        },
    ]

    /// A document without pages.
    static var pdf: [UInt8] {
        let objects = ["1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n", "2 0 obj\n<< /Type /Pages /Kids [] /Count 0 >>\nendobj\n"]
        var text = "%PDF-1.7\n"
        var table = "xref\n0 3\n0000000000 65535 f \n"
        for object in objects {
            table += String(format: "%010d 00000 n \n", text.utf8.count)
            text += object
        }
        let start = text.utf8.count
        return Array("\(text)\(table)trailer\n<< /Size 3 /Root 1 0 R >>\nstartxref\n\(start)\n%%EOF\n".utf8)
    }

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
}
