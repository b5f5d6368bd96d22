import CaptureProtocol
import Foundation

extension CaptureQueue {
    /// How long a server that does not know uploads that resume is not asked again.
    private static let plainMemory: TimeInterval = 3600

    /// Whether the body of a capture is sent so that it goes on after a break.
    nonisolated func isLarge(_ body: any HTTPBody, of capture: StoredCapture) -> Bool {
        let brokeOff = capture.facts.brokeOff == true
        return body.contentLength > (brokeOff ? ResumableUpload.smallestBytesAfterBreak : ResumableUpload.smallestBytes)
    }

    /// Sends a large body, going on where the server says it is, for as long as the server gets more of it.
    /// - Returns: the answer to the upload; `nil` if the body is to be sent as a whole.
    /// - Throws: ``TransportFailure``; ``KeysGone``; errors of reading and signing; `CancellationError`.
    func sendResumably(_ capture: StoredCapture, by device: DeviceID) async throws -> HTTPResponse? {
        let id = capture.id
        let job = try store.job(of: capture)
        let body = job.body
        guard job.mayResume, isLarge(body, of: capture), !isPlainServer else { return nil }
        let kept = try await store.capture(id).facts.upload
        var upload = ResumableUpload(lengthBytes: body.contentLength, at: transport.origin, goingOnWith: kept)
        let outcome = try await upload.run(body) {
            clock.now
        } create: {
            try await signedRequest(for: capture, by: device)
        } send: { request, stored in
            try await send(request, of: id, after: stored)
        } keep: { upload, storedBefore in
            store.failPoints.reached("queue.upload-answered")
            if upload.storedBytes > storedBefore { failedAttempts = 0 }
            try await keep(upload, of: id)
        }
        switch outcome {
        case .answered(let response): return response
        case .sendPlain(let lasts):
            if lasts { plainSince = clock.now }
            return nil
        }
    }

    /// Whether bodies are sent plain for now: the server does not know the other way, or has no place for another upload.
    var isPlainServer: Bool {
        // A clock that was set back would remember it for as long.
        plainSince.map { (0..<Self.plainMemory).contains(clock.now.timeIntervalSince($0)) } ?? false
    }

    /// - Parameter stored: what the server has of the body.
    private func send(_ request: HTTPRequest, of id: LocalID, after stored: Int64) async throws -> HTTPResponse {
        note(stored, of: id)
        return try await transport.send(request) { sent in Task { await self.note(stored + sent, of: id) } }
    }

    /// Before anything is sent to a new address: whatever ends this process, the upload goes on there.
    private func keep(_ upload: ResumableUpload, of id: LocalID) async throws {
        let kept = upload.kept
        var resumedAt: Int64?
        if case .append(let offset) = upload.step, offset > 0 { resumedAt = offset }
        let facts = try await store.capture(id).facts
        guard facts.upload != kept || resumedAt != nil && facts.resumedAt != resumedAt else { return }
        try await store.database.update(id) { [resumedAt] row in
            row.facts.upload = kept
            row.facts.resumedAt = resumedAt ?? row.facts.resumedAt
        }
        store.failPoints.reached("queue.upload-kept")
    }
}
