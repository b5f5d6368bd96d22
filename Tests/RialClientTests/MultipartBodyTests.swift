import Foundation
import NIOCore
import Testing

@testable import RialClient

@Suite("Multipart body")
struct MultipartBodyTests {
    private func text(_ body: MultipartBody) async throws -> String {
        var bytes: [UInt8] = []
        for try await chunk in body { bytes += Array(buffer: chunk) }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("has the format of RFC 7578")
    func writesParts() async throws {
        let body = MultipartBody(
            boundary: "b",
            parts: [
                .init(name: "photo", fileName: "p.jpg", contentType: "image/jpeg", content: .bytes(Array("JPEG".utf8))),
                .init(name: "metadata", contentType: "application/json", content: .bytes([])),
            ])
        let expected = """
            --b\r
            Content-Disposition: form-data; name="photo"; filename="p.jpg"\r
            Content-Type: image/jpeg\r
            \r
            JPEG\r
            --b\r
            Content-Disposition: form-data; name="metadata"\r
            Content-Type: application/json\r
            \r
            \r
            --b--\r

            """
        #expect(try await text(body) == expected)
        #expect(body.contentLength == Int64(expected.utf8.count))
        #expect(body.contentType == "multipart/form-data; boundary=b")
    }

    @Test("escapes what would end a name or a line", arguments: [("a\"b", "a%22b"), ("a\r\nX: y", "a%0D%0AX: y")])
    func escapes(name: String, written: String) async throws {
        let body = MultipartBody(parts: [.init(name: name, fileName: name, contentType: "text/plain", content: .bytes([]))])
        #expect(try await text(body).contains("name=\"\(written)\"; filename=\"\(written)\"\r\n"))
    }

    @Test("has boundaries that differ")
    func boundariesDiffer() {
        #expect(MultipartBody(parts: []).contentType != MultipartBody(parts: []).contentType)
    }

    @Test("sends a file as it sends the same bytes, and hashes what it sends", arguments: [0, 1, 262_144, 600_001])
    func sendsFiles(size: Int) async throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await withTemporaryFile(bytes) { url in
            let inMemory = MultipartBody(boundary: "b", parts: [.init(name: "f", contentType: "x/y", content: .bytes(bytes))])
            let onDisk = MultipartBody(boundary: "b", parts: [.init(name: "f", contentType: "x/y", content: try .file(at: url))])
            var sent: [UInt8] = []
            for try await chunk in onDisk {
                #expect(chunk.readableBytes <= SegmentCursor.pieceBytes)
                sent += Array(buffer: chunk)
            }
            #expect(Int64(sent.count) == onDisk.contentLength)
            #expect(try onDisk.digest() == inMemory.digest())
            #expect(try PartContent.digest(of: [.bytes(sent)]) == onDisk.digest())
        }
    }

    @Test("notices a file that changes its size while it is sent", arguments: [9, 11])
    func noticesChanges(announced: Int64) async throws {
        try await withTemporaryFile(Array(repeating: 7, count: 10)) { url in
            let body = MultipartBody(parts: [.init(name: "f", contentType: "x/y", content: .file(url, sizeBytes: announced))])
            let failure = #expect(throws: APIFailure.self) { try body.digest() }
            #expect(failure?.code == .unreadableFile)
        }
    }

    @Test("refuses anything but a regular file", arguments: ["/dev/zero", "/tmp", "/nowhere/at/all"])
    func refusesOtherFiles(path: String) {
        let failure = #expect(throws: APIFailure.self) { try PartContent.file(at: URL(fileURLWithPath: path)) }
        #expect(failure?.code == .unreadableFile)
    }
}

func withTemporaryFile(
    _ bytes: [UInt8], extension pathExtension: String = "bin", _ body: (URL) async throws -> Void
) async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("rial-\(UUID().uuidString).\(pathExtension)")
    try Data(bytes).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    try await body(url)
}
