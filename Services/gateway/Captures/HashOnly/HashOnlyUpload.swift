import CaptureProtocol
import Metrics
import NIOCore
import Observability

/// Receives a hash-only capture: reads its body, authenticates and rate-limits it, and records it once. Nothing is stored but its row:
/// `upload-sync` keeps the payload (SPEC §9).
struct HashOnlyUpload: Sendable {
    let captures: any CaptureRepository

    /// - Parameters:
    ///   - begun: when the gateway saw the request's head.
    ///   - authenticate: gets the SHA-256 of the body; throws if the device's signature does not match.
    ///   - admit: called for a valid capture; throws if a rate limit is reached.
    /// - Returns: the new capture with its type, or the existing one if the upload is a repetition.
    /// - Throws: ``CaptureError`` for client errors, what the closures throw, and database errors unchanged.
    func take(
        _ body: some AsyncSequence<ByteBuffer, any Error> & Sendable, from device: KnownDevice, begun: ContinuousClock.Instant,
        authenticate: (ContentDigest) async throws -> Void, admit: () async throws -> Void
    ) async throws -> (id: CaptureID, type: CaptureType, recorded: Recorded) {
        let bytes = try await Self.collect(body)
        try await authenticate(ContentDigest(of: bytes))
        let submission = try HashOnlySubmission(bytes, from: device)
        try await admit()
        let id = CaptureID()
        let recorded = try await captures.record(id, submission, device: device.id, begun: begun)
        if case .new = recorded {
            FailPoint.reached("gateway.capture.committed")
            CaptureUpload.accepted.increment()
        }
        return (id, submission.payload.kind.type, recorded)
    }

    private static func collect(_ body: some AsyncSequence<ByteBuffer, any Error> & Sendable) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in body {
            guard bytes.count + chunk.readableBytes <= SizeLimits.hashOnlyBody else { throw CaptureError.hashOnlyTooLarge }
            bytes.append(contentsOf: chunk.readableBytesView)
        }
        return bytes
    }
}
