import CaptureProtocol
import Compression
import Foundation
import Multipart
import NIOCore
import TestSupport
import Testing

/// The body of a small photo capture.
struct PhotoBody {
    static let contentType = "multipart/form-data; boundary=x"
    var photo: [UInt8] = [0xff, 0xd8, 0xff]
    /// Of the photo, as the metadata say.
    var photoHash: ContentDigest?

    static func boundary() throws -> MultipartBoundary { try MultipartBoundary(contentType: contentType) }

    func bytes() throws -> [UInt8] {
        let metadata = CaptureMetadata(
            capturedAt: now, deviceModel: "iPhone 15 Pro", photoHash: photoHash ?? ContentDigest(of: photo), depthWidth: 1, depthHeight: 1,
            location: nil)
        let parts: [(name: String, bytes: [UInt8])] = [
            ("photo", photo), ("depth_map", try Deflate.compress([0, 0, 0, 0])), ("metadata", Array(try JSONEncoder().encode(metadata))),
        ]
        var body: [UInt8] = []
        for part in parts {
            body += Array("--x\r\nContent-Disposition: form-data; name=\"\(part.name)\"\r\n\r\n".utf8)
            body += part.bytes
            body += Array("\r\n".utf8)
        }
        return body + Array("--x--\r\n".utf8)
    }
}

/// A request's content.
/// - Parameter failure: with which it breaks off.
func bodyStream(_ bytes: [UInt8], breakingOff failure: (any Error)? = nil) -> AsyncThrowingStream<ByteBuffer, any Error> {
    AsyncThrowingStream { continuation in
        for start in stride(from: 0, to: bytes.count, by: 1000) {
            continuation.yield(ByteBuffer(bytes: bytes[start..<min(start + 1000, bytes.count)]))
        }
        continuation.finish(throwing: failure)
    }
}

/// A request's content, during which something else happens.
func bodyStream(
    _ bytes: [UInt8], meanwhile happens: @escaping @Sendable () async throws -> Void
) -> AsyncThrowingStream<ByteBuffer, any Error> {
    let hasHappened = Flag()
    return AsyncThrowingStream<ByteBuffer, any Error>(unfolding: {
        guard !hasHappened.isSet else { return nil }
        hasHappened.set()
        try await happens()
        return ByteBuffer(bytes: bytes)
    })
}

/// A request's content that must not be read.
func unreadStream() -> AsyncThrowingStream<ByteBuffer, any Error> {
    AsyncThrowingStream<ByteBuffer, any Error>(unfolding: {
        Issue.record("it was read")
        return nil
    })
}
