import Blocking
import CaptureProtocol
import Foundation
import Models
import Multipart
import NIOCore
import Testing

@testable import Gateway

@Suite("Intake of files")
struct FileIntakeTests {
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    @Test("a file is hashed and its format told, however its bytes are cut", arguments: [1, 7, 4096])
    func reads(chunk: Int) async throws {
        let content = Self.png + [UInt8](repeating: 7, count: 5000)
        let received = try await Self.read([Self.part("note", Array("x".utf8)), Self.part("file", content, filename: "a.png")], chunk)
        #expect(received.file.sizeBytes == Int64(content.count) && received.file.digest == ContentDigest(of: content))
        #expect(received.format == .png && received.filename == "a.png")
    }

    @Test(
        "a form that lacks its file, or has more than it may, is refused for that",
        arguments: [
            ([], .fileMissing), ([Sent("note")], .fileMissing),
            // Browsers send this for a form without a chosen file.
            ([Sent("file", bytes: 0, filename: "")], .fileMissing), ([Sent("file", bytes: 0, filename: "a.jpg")], .fileEmpty),
            ([Sent("file"), Sent("file")], .fileTwice),
            ([Sent("note", bytes: SizeLimits.unknownPart + 1)], .partTooLarge(name: "note")),
            ([Sent("file", bytes: SizeLimits.file + 1)], .fileTooLarge),
        ] as [([Sent], VerificationError)])
    func refused(parts: [Sent], error: VerificationError) async {
        let bodies = parts.map { Self.part($0.name, [UInt8](repeating: 1, count: $0.bytes), filename: $0.filename) }
        await #expect(throws: error) { try await Self.read(bodies) }
    }

    /// A part with a short description, since tests print their arguments.
    struct Sent: Sendable {
        let name: String
        let bytes: Int
        let filename: String?

        init(_ name: String, bytes: Int = 1, filename: String? = nil) {
            self.name = name
            self.bytes = bytes
            self.filename = filename
        }
    }

    @Test("a body that ends before its last delimiter is malformed")
    func truncated() async {
        await #expect(throws: MultipartError.truncated) { try await Self.read([Self.part("file", Self.png)], ends: false) }
    }

    @Test("files that take more than the quota together are refused")
    func quota() async {
        await #expect(throws: NoScratchSpace.self) {
            try await Self.read([Self.part("file", [UInt8](repeating: 1, count: 101))], quota: ScratchQuota(bytes: 100))
        }
    }

    private static func part(_ name: String, _ content: [UInt8], filename: String? = nil) -> [UInt8] {
        let file = filename.map { "; filename=\"\($0)\"" } ?? ""
        return Array("--x\r\nContent-Disposition: form-data; name=\"\(name)\"\(file)\r\n\r\n".utf8) + content + Array("\r\n".utf8)
    }

    private static func read(
        _ parts: [[UInt8]], _ chunk: Int = 65_536, ends: Bool = true, quota: ScratchQuota = ScratchQuota(bytes: 0)
    ) async throws -> FileIntake.ReceivedFile {
        let body = parts.flatMap(\.self) + (ends ? Array("--x--\r\n".utf8) : [])
        let chunks = stride(from: 0, to: body.count, by: chunk).map { ByteBuffer(bytes: body[$0..<min($0 + chunk, body.count)]) }
        let stream = AsyncThrowingStream<ByteBuffer, any Error> { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish()
        }
        let intake = FileIntake(
            boundary: try MultipartBoundary(contentType: "multipart/form-data; boundary=x"),
            folder: FileManager.default.temporaryDirectory.path, quota: quota, executor: BlockingExecutor(label: "tests"))
        return try await intake.read(stream)
    }
}
