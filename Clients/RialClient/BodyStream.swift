import AsyncHTTPClient
import CaptureKit
import NIOCore

/// A body as AsyncHTTPClient reads it: it asks for the next piece when the connection has taken the one before.
struct BodyStream: AsyncSequence {
    let body: any HTTPBody
    let progress: @Sendable (Int64) -> Void

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: body, progress: progress) }

    struct AsyncIterator: AsyncIteratorProtocol {
        let body: any HTTPBody
        let progress: @Sendable (Int64) -> Void
        private var reader: (any HTTPBodyReader)?
        private var sentBytes: Int64 = 0

        init(body: any HTTPBody, progress: @escaping @Sendable (Int64) -> Void) {
            self.body = body
            self.progress = progress
        }

        mutating func next() async throws -> ByteBuffer? {
            progress(sentBytes)
            do {
                let reader = try self.reader ?? body.makeReader()
                self.reader = reader
                guard let piece = try await reader.next() else { return nil }
                sentBytes += Int64(piece.count)
                return ByteBuffer(bytes: piece)
            } catch {
                throw BodyReadFailure(cause: error)
            }
        }
    }
}

/// Tells an error of reading a body from those of the connection.
struct BodyReadFailure: Error {
    let cause: any Error
}

extension HTTPClientRequest.Body {
    /// - Parameter progress: called with the number of bytes that the connection has taken.
    static func streaming(_ body: any HTTPBody, progress: @escaping @Sendable (Int64) -> Void = { _ in }) -> HTTPClientRequest.Body {
        .stream(BodyStream(body: body, progress: progress), length: .known(body.contentLength))
    }
}
