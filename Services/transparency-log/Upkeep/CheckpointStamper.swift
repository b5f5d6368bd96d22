import Blocking
import CaptureProtocol
import Foundation
import Logging
import TransparencyLog

/// A connection to a time-stamp authority (RFC 3161).
protocol TimestampAuthorityConnection: Sendable {
    /// - Parameter query: a TimeStampReq.
    /// - Returns: a TimeStampResp, not verified.
    func stamp(_ query: [UInt8]) async throws -> [UInt8]
}

/// Gets tokens on checkpoints (SPEC §14 "Time"): over the digest of the note as the log alone signed it. An authority that is
/// unavailable or refuses is asked again at longer and longer intervals, and delays nothing.
actor CheckpointStamper {
    /// How many of the newest published checkpoints are searched for one with a quorum.
    static let candidates = 100
    let repository: any StampRepository
    let panel: WitnessPanel
    let authority: any TimestampAuthorityConnection
    let anchors: TimestampAnchors
    let interval: TimeInterval
    let nonce: @Sendable () -> [UInt8]
    let logger: Logger
    /// After failures in a row; no pause is longer than the interval.
    private var backoff: Backoff
    /// When, by a clock that may be set back later, the last request failed, and how long no request is made after it; `nil` after a
    /// success.
    private var failure: (time: Date, pause: TimeInterval)?

    init(
        repository: any StampRepository, panel: WitnessPanel, authority: any TimestampAuthorityConnection, anchors: TimestampAnchors,
        interval: TimeInterval, nonce: @escaping @Sendable () -> [UInt8], logger: Logger
    ) {
        self.repository = repository
        self.panel = panel
        self.authority = authority
        self.anchors = anchors
        self.interval = interval
        backoff = Backoff(initial: 10, limit: min(3600, interval), jitter: 0)
        self.nonce = nonce
        self.logger = logger
    }

    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    /// Stamps the newest checkpoint with a quorum of each log that is due, and the final one of a closed log.
    func stamp(at time: Date) async throws {
        if let failure, (0..<failure.pause).contains(time.timeIntervalSince(failure.time)) { return }
        for shard in try await repository.shards() {
            let state = try await repository.stampable(shard.origin, limit: Self.candidates)
            let quorum = state.candidates.first { candidate in
                // A damaged note is served no more, and a time stamp of it could not be replaced.
                panel.standing(candidate) != .missing && PublishedCheckpoint(candidate.note, of: shard)?.head == candidate.head
            }
            guard let newest = quorum else { continue }
            let isFinal = shard.endIndex != nil && newest.head == shard.head
            guard isFinal || time.timeIntervalSince(state.stampedAt ?? .distantPast) >= interval else { continue }
            do {
                try await stamp(newest, of: shard)
            } catch {
                failure = (time, backoff.next() / .seconds(1))
                throw error
            }
            failure = nil
            backoff.reset()
        }
    }

    private func stamp(_ published: PublishedCheckpoint, of shard: LogShard) async throws {
        let request = TimestampRequest(imprint: ContentDigest(of: published.note.bytes), nonce: nonce())
        let bytes = try await authority.stamp(try request.bytes())
        let answer = try TimestampAnswer(bytes)
        switch await answer.verify(imprint: request.imprint, nonce: request.nonce, anchors: anchors) {
        case .verified(let time):
            try await repository.keepToken(bytes, at: time, of: published.head.size, shard.origin)
            logger.info("checkpoint stamped", metadata: ["origin": "\(shard.origin)", "size": "\(published.head.size)"])
        case .rejected(let failure):
            throw Refused(description: "the time-stamp authority's response is not usable: \(failure.rawValue)")
        }
    }
}
