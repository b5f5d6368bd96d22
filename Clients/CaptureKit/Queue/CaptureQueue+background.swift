import CaptureProtocol
import Foundation

extension CaptureQueue {
    /// A signed request whose body lies in a plain file, for an upload that the system makes while the app does not run.
    public struct BackgroundUpload: Sendable {
        public let capture: LocalID
        public let headers: [(name: String, value: String)]
        /// Plain: deleted by ``endBackgroundUpload(named:_:)``, and at every start.
        public let bodyPath: String
        /// For the `taskDescription` of the system's task: all that an app has of it that was started anew for the answer.
        public let name: String
    }

    /// Signs a capture and lends its body. Sign when the network is there: a signature is valid for five minutes.
    /// Until its end is told to ``endBackgroundUpload(named:_:)``, or the next ``run(untilEmpty:)`` begins, it cannot be deleted.
    /// - Throws: ``StoreError`` `notAllowed` unless the capture is pending and not withdrawn, `staysSealed` for a video, `unknownCapture`;
    ///   ``DeviceUnavailable``; ``FileError``, ``SealError``; ``TransportFailure`` if it is to be sent once more, and the server cannot be
    ///   asked whether it was withdrawn meanwhile.
    public func lendForBackground(_ id: LocalID) async throws -> BackgroundUpload {
        let capture = try await store.capture(id)
        guard capture.state == .pending, !capture.facts.mayBeWithdrawn else { throw StoreError.notAllowed(capture.state, to: .uploading) }
        guard capture.kind != .video else { throw StoreError.staysSealed }
        guard try await !isWithdrawnMeanwhile(capture) else { throw StoreError.notAllowed(capture.state, to: .uploading) }
        let device = try await deviceToSign(capture)
        let request = try await signedRequest(for: capture, by: device)
        guard let body = request.body else { throw StoreError.contentRemoved }
        // Not that of an earlier loan, whose end may still be on its way.
        let name = BackgroundUpload.name(of: id, UUID())
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

    /// As ``endBackgroundUpload(named:_:)``, in the process that lent the body.
    public func endBackgroundUpload(_ upload: BackgroundUpload, _ outcome: Result<HTTPResponse, any Error>?) async throws {
        try await endBackgroundUpload(named: upload.name, outcome)
    }

    /// Deletes the body, and records the answer as of any other attempt. An answer that comes twice, or after a ``run(untilEmpty:)`` took
    /// the body back, only counts if it says that the server has the capture.
    /// - Parameters:
    ///   - name: ``BackgroundUpload/name``, in whatever process it was lent. With any other name nothing happens.
    ///   - outcome: the system's response, or its error, which never counts; `nil` if the task was cancelled.
    /// - Throws: ``StoreError`` `unknownCapture` for one that was deleted meanwhile; ``DeviceUnavailable``; ``FileError``.
    public func endBackgroundUpload(named name: String, _ outcome: Result<HTTPResponse, any Error>?) async throws {
        guard let id = BackgroundUpload.capture(named: name) else { return }
        try store.removeBody(name)
        do {
            // Until then it is lent, and so cannot be deleted.
            if let outcome, try await counts(outcome, of: id, lentAs: name) {
                try await record(outcome.mapError(TransportFailure.init(ofSystem:)), of: id)
            }
        } catch {
            try? await store.endLoan(of: name)
            throw error
        }
        try await store.endLoan(of: name)
    }

    /// Whether an answer is one to the bytes that are sent of the capture now.
    private func counts(_ outcome: Result<HTTPResponse, any Error>, of id: LocalID, lentAs name: String) async throws -> Bool {
        if try await store.database.lentBodies().contains(name) { return true }
        // What else it may say, the queue has heard, or hears from its own attempt.
        guard UploadReaction.isUploaded(outcome, at: clock.now) else { return false }
        // Another device signs other bytes.
        let capture = try await store.capture(id)
        return capture.device.map { capture.facts.sentBy == [$0] } ?? false
    }
}

extension CaptureQueue.BackgroundUpload {
    fileprivate static func name(of capture: LocalID, _ loan: UUID) -> String { "\(capture)-\(loan).body" }

    /// - Returns: the capture of a loan; `nil` if nothing is lent by such a name.
    fileprivate static func capture(named name: String) -> LocalID? {
        guard let id = LocalID(String(name.prefix(36))), let loan = UUID(uuidString: String(name.dropFirst(37).prefix(36))),
            name == Self.name(of: id, loan)
        else { return nil }
        return id
    }
}

extension TransportFailure {
    /// Whatever the system gives as an error, there was no answer.
    fileprivate init(ofSystem error: any Error) { self = error as? TransportFailure ?? .unreachable("\(error)") }
}
