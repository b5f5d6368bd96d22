import CaptureProtocol
import Foundation

extension CaptureQueue {
    /// A signed request whose body lies in a plain file, for an upload that the system makes while the app does not run.
    public struct BackgroundUpload: Sendable {
        public let capture: LocalID
        public let headers: [(name: String, value: String)]
        /// Plain: deleted by ``endBackgroundUpload(_:_:)``, and at every start.
        public let bodyPath: String
        public let name: String
    }

    /// Signs a capture and lends its body. Sign when the network is there: a signature is valid for five minutes.
    /// Until its end is told to ``endBackgroundUpload(_:_:)``, or the next ``run(untilEmpty:)`` begins, it cannot be deleted.
    /// - Throws: ``StoreError`` `notAllowed` unless the capture is pending and not withdrawn, `staysSealed` for a video, `unknownCapture`;
    ///   ``DeviceUnavailable``; ``FileError``, ``SealError``.
    public func lendForBackground(_ id: LocalID) async throws -> BackgroundUpload {
        let capture = try await store.capture(id)
        guard capture.state == .pending, !capture.facts.mayBeWithdrawn else { throw StoreError.notAllowed(capture.state, to: .uploading) }
        guard capture.kind != .video else { throw StoreError.staysSealed }
        let device = try await deviceToSign(capture)
        let request = try await signedRequest(for: capture, by: device)
        guard let body = request.body else { throw StoreError.contentRemoved }
        // Not that of an earlier loan, whose end may still be on its way.
        let name = "\(id)-\(UUID()).body"
        let now = clock.now
        try await store.database.update(id) { row in
            row.facts.sentAt = row.facts.sentAt ?? now
            row.facts.sentAtOnce = true
        }
        let path = try await store.lend(body, as: name, of: id)
        // Its person may have begun to withdraw it, which looks for loans after that.
        let lent = try await store.capture(id)
        guard !lent.facts.mayBeWithdrawn else {
            try await store.takeBack(name)
            throw StoreError.notAllowed(lent.state, to: .uploading)
        }
        return BackgroundUpload(capture: id, headers: request.headers, bodyPath: path, name: name)
    }

    /// Deletes the body, and records the answer as of any other attempt.
    /// - Parameter outcome: the system's response, or its error, which never counts; `nil` if the task was cancelled.
    public func endBackgroundUpload(_ upload: BackgroundUpload, _ outcome: Result<HTTPResponse, any Error>?) async throws {
        try store.removeBody(upload.name)
        do {
            // Until then it is lent, and so cannot be deleted.
            if let outcome { try await record(outcome.mapError(TransportFailure.init(ofSystem:)), of: upload.capture) }
        } catch {
            try? await store.endLoan(of: upload.name)
            throw error
        }
        try await store.endLoan(of: upload.name)
    }
}

extension TransportFailure {
    /// Whatever the system gives as an error, there was no answer.
    fileprivate init(ofSystem error: any Error) { self = error as? TransportFailure ?? .unreachable("\(error)") }
}
