import AsyncHTTPClient
import NIOCore

extension HTTPClientResponse {
    /// Reads the whole answer, which is small.
    /// - Throws: ``ObjectStorageError`` with `.unavailable` if it breaks off or is larger than ``S3Client/maximumAnswerBytes``.
    @discardableResult
    func answer() async throws -> ByteBuffer {
        do {
            return try await body.collect(upTo: S3Client.maximumAnswerBytes)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw ObjectStorageError(.unavailable, "answer cut short: \(error)")
        }
    }
}
