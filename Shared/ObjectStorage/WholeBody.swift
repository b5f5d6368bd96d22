import AsyncHTTPClient
import CaptureProtocol
import Crypto
import Foundation
import Metrics
import NIOCore
import NIOHTTP1
import Synchronization

/// A response with its whole body.
struct WholeBody: Sendable {
    let head: HTTPResponseHead
    let bytes: [UInt8]
    let digest: ContentDigest
}

/// Receives a whole body on its connection's event loop. Each part is hashed while it is in the processor's cache and copied once, and no
/// task is woken for it: a photo of 3 MB costs three fifths of what a stream of it does.
final class WholeBodyDelegate: HTTPClientResponseDelegate {
    typealias Response = WholeBody

    private struct State {
        var head: HTTPResponseHead?
        var bytes: [UInt8] = []
        var hasher = SHA256()
    }

    /// The most that is kept of a body with an error.
    static let errorBytes = 64 * 1024
    private let expectedBytes: Int
    private let mismatch: ObjectStorageError
    private let received: Counter
    private let state = Mutex(State())

    /// - Parameters:
    ///   - mismatch: thrown for a body of more than `expectedBytes`.
    ///   - received: counts the bytes received from the store.
    init(expectedBytes: Int, mismatch: ObjectStorageError, received: Counter) {
        self.expectedBytes = expectedBytes
        self.mismatch = mismatch
        self.received = received
    }

    var hasHead: Bool { state.withLock { $0.head != nil } }

    func didReceiveHead(task: HTTPClient.Task<WholeBody>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        state.withLock { state in
            state.head = head
            if head.isSuccess { state.bytes.reserveCapacity(expectedBytes) }
        }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<WholeBody>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        received.increment(by: part.readableBytes)
        let isWithinLimit = state.withLock { state in
            let isSuccess = state.head?.isSuccess ?? false
            // If an error is longer than the store's ever are, its beginning is enough.
            guard state.bytes.count + part.readableBytes <= (isSuccess ? expectedBytes : Self.errorBytes) else { return !isSuccess }
            state.bytes.append(contentsOf: part.readableBytesView)
            part.withUnsafeReadableBytes { state.hasher.update(bufferPointer: $0) }
            return true
        }
        return isWithinLimit ? task.eventLoop.makeSucceededVoidFuture() : task.eventLoop.makeFailedFuture(mismatch)
    }

    func didFinishRequest(task: HTTPClient.Task<WholeBody>) throws -> WholeBody {
        try state.withLock { state in
            guard let head = state.head else { throw ObjectStorageError(.unavailable, "an answer without a head") }
            return WholeBody(head: head, bytes: state.bytes, digest: ContentDigest(state.hasher.finalize()))
        }
    }
}

extension HTTPResponseHead {
    fileprivate var isSuccess: Bool { (200..<300).contains(status.code) }
}

extension S3Client {
    /// Reads a whole object, in one attempt.
    /// - Parameter sizeBytes: the size that the object must have.
    /// - Throws: ``ObjectStorageError``, with `.digestMismatch` if there are more bytes.
    func receive(_ key: String, sizeBytes: Int) async throws -> WholeBody {
        let request = S3Request(method: .GET, key: key)
        return try await recorded(request, status: \.head.status.code) { try await receive(request, sizeBytes: sizeBytes) }
    }

    private func receive(_ request: S3Request, sizeBytes: Int) async throws -> WholeBody {
        let signed = request.signed(configuration, by: signer, at: Date())
        let delegate = WholeBodyDelegate(
            expectedBytes: sizeBytes, mismatch: ObjectStorageError(.digestMismatch, request.key ?? ""), received: traffic.received)
        let body: WholeBody
        do {
            let loop = httpClient.eventLoopGroup.any()
            let task = httpClient.execute(
                request: try HTTPClient.Request(url: signed.url, method: signed.method, headers: signed.headers), delegate: delegate,
                eventLoop: .delegateAndChannel(on: loop))
            // As for other requests, this timeout is for the head; the client's own is for pauses in the body.
            let timeout = loop.scheduleTask(in: TimeAmount(configuration.requestTimeout)) {
                if !delegate.hasHead { task.fail(reason: HTTPClientError.deadlineExceeded) }
            }
            defer { timeout.cancel() }
            body = try await withTaskCancellationHandler {
                try await task.futureResult.get()
            } onCancel: {
                task.cancel()
            }
        } catch let error as ObjectStorageError {
            throw error
        } catch {
            try Task.checkCancellation()
            throw ObjectStorageError(.unavailable, "\(request.method.rawValue) not answered: \(error)")
        }
        guard body.head.isSuccess else {
            throw ObjectStorageError(request, status: body.head.status, code: S3XML.errorCode(Data(body.bytes)))
        }
        return body
    }
}
