import CaptureKit
import CaptureProtocol
import Testing

@Suite("Body of a capture")
struct CaptureBodyTests {
    private static func upload(assertion: [UInt8]?) -> CaptureUpload {
        CaptureUpload(
            boundary: "rial-1", photo: .source(PieceSource([[0xFF, 0xD8]])), depthMap: .bytes([0x1F, 0x8B]), metadata: Array("{}".utf8),
            assertion: assertion)
    }

    @Test("has photo, depth map, metadata and assertion, in this order")
    func parts() async throws {
        let bytes = try await allBytes(Self.upload(assertion: [0xA0]).body)
        let expected: [UInt8] =
            Array("--rial-1\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"photo.jpg\"\r\n".utf8)
            + Array("Content-Type: image/jpeg\r\n\r\n".utf8) + [0xFF, 0xD8]
            + Array("\r\n--rial-1\r\nContent-Disposition: form-data; name=\"depth_map\"; filename=\"depth.f32.gz\"\r\n".utf8)
            + Array("Content-Type: application/octet-stream\r\n\r\n".utf8) + [0x1F, 0x8B]
            + Array("\r\n--rial-1\r\nContent-Disposition: form-data; name=\"metadata\"\r\n".utf8)
            + Array("Content-Type: application/json\r\n\r\n{}".utf8)
            + Array("\r\n--rial-1\r\nContent-Disposition: form-data; name=\"assertion\"\r\n".utf8)
            + Array("Content-Type: application/cbor\r\n\r\n".utf8) + [0xA0] + Array("\r\n--rial-1--\r\n".utf8)
        #expect(bytes == expected)
    }

    @Test("has no assertion part without an assertion")
    func withoutAssertion() async throws {
        let text = String(decoding: try await allBytes(Self.upload(assertion: nil).body), as: UTF8.self)
        #expect(!text.contains("assertion"))
    }

    @Test("has the digest of the bytes that are sent, the same for each attempt")
    func digest() async throws {
        let body = Self.upload(assertion: [1]).body
        #expect(try await body.digest() == ContentDigest(of: try await allBytes(body)))
        #expect(try await Self.upload(assertion: [1]).body.digest() == body.digest())
    }
}
