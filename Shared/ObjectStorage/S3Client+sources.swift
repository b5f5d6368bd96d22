import CaptureProtocol
public import Models
import NIOCore

extension S3Client {
    public func put(_ media: StoredMedia, reading read: @Sendable (Range<Int64>) throws -> [UInt8]) async throws {
        let upload = putStream(media.key, contentType: media.contentType, expecting: Int(clamping: media.sizeBytes))
        do {
            var position: Int64 = 0
            while position < media.sizeBytes {
                let range = position..<min(position + (1 << 20), media.sizeBytes)
                let bytes = try read(range)
                guard bytes.count == range.count else { throw ObjectStorageError(.rejected, "the source of \(media.key) ends early") }
                try await upload.write(ByteBuffer(bytes: bytes))
                position = range.upperBound
            }
            _ = try await upload.finish(sha256: media.sha256.bytes)
        } catch {
            _ = await upload.abort()
            throw error
        }
    }
}
