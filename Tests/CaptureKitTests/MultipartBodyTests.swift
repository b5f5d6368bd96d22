import CaptureKit
import CaptureProtocol
import Foundation
import Testing

@Suite("Multipart body")
struct MultipartBodyTests {
    @Test("has the format of RFC 7578")
    func writesParts() async throws {
        let body = MultipartBody(
            boundary: "b",
            parts: [
                .init(
                    name: "photo", fileName: "p.jpg", contentType: "image/jpeg",
                    content: .source(PieceSource([Array("JP".utf8), Array("EG".utf8)]))),
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

    @Test("has the same bytes and digest at each attempt, wherever its parts are")
    func isRepeatable() async throws {
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let inMemory = MultipartBody(boundary: "b", parts: [.init(name: "f", contentType: "x/y", content: .bytes(bytes))])
        let pieces = [Array(bytes[..<100_000]), Array(bytes[100_000...])]
        let elsewhere = MultipartBody(
            boundary: "b", parts: [.init(name: "f", contentType: "x/y", content: .source(PieceSource(pieces)))])
        let whole = try await allBytes(inMemory)
        #expect(try await allBytes(elsewhere) == whole)
        #expect(try await allBytes(elsewhere) == whole)
        #expect(elsewhere.contentLength == inMemory.contentLength)
        #expect(try await elsewhere.digest() == ContentDigest(of: whole))
        #expect(try await inMemory.digest() == ContentDigest(of: whole))
    }

    @Test("gives pieces of 1 to 262,144 bytes")
    func pieces() async throws {
        let large = [UInt8](repeating: 1, count: 262_145)
        let body = MultipartBody(
            boundary: "b",
            parts: [
                .init(name: "a", contentType: "x/y", content: .bytes(large)),
                .init(name: "b", contentType: "x/y", content: .source(PieceSource([]))),
            ])
        let reader = body.makeReader()
        while let piece = try await reader.next() { #expect((1...262_144).contains(piece.count)) }
        #expect(try await reader.next() == nil)
    }

    @Test("escapes what would end a name or a line", arguments: [("a\"b", "a%22b"), ("a\r\nX: y", "a%0D%0AX: y")])
    func escapes(name: String, written: String) async throws {
        let part = MultipartBody.Part(name: name, fileName: name, contentType: "text/plain", content: .bytes([]))
        let body = MultipartBody(boundary: "b", parts: [part])
        #expect(try await text(body).contains("name=\"\(written)\"; filename=\"\(written)\"\r\n"))
    }

    @Test("has random boundaries that differ, of letters, digits and hyphens")
    func randomBoundaries() {
        let boundaries = (0..<10).map { _ in MultipartBody.randomBoundary() }
        #expect(Set(boundaries).count == 10)
        #expect(boundaries.allSatisfy { $0.utf8.count <= 70 && $0.wholeMatch(of: /[A-Za-z0-9-]+/) != nil })
    }

    @Test("passes the errors of its parts on")
    func passesErrorsOn() async {
        let part = MultipartBody.Part(name: "f", contentType: "x/y", content: .source(PieceSource([[1]], error: FileError.denied)))
        await #expect(throws: FileError.denied) { try await MultipartBody(boundary: "b", parts: [part]).digest() }
    }

    private func text(_ body: MultipartBody) async throws -> String { String(decoding: try await allBytes(body), as: UTF8.self) }
}
