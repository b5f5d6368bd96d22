import Foundation
import Logging
import Metrics
import Observability
import TransparencyLog

/// The policy's witnesses: which of them answer, what sizes they have, and whom to ask when.
actor WitnessPanel {
    /// A witness that failed this often in a row is asked in the background, where it delays no round.
    static let maximumFailures = 3
    /// How long such a witness is not asked again.
    static let asidePause: TimeInterval = 60

    struct Answers: Sendable {
        var cosignatures: [KeptCosignature] = []
        var freeze: Freeze?
    }

    private struct State {
        /// `nil` until it is learnt.
        var size: UInt64?
        var failures = 0
        var askedAt: Date?
        var cosignedAt: UInt64?
    }

    nonisolated let policy: TrustPolicy
    private let connections: [any WitnessConnection]
    private let timeout: Duration
    private let now: @Sendable () -> Date
    private let logger: Logger
    private var states: [VerifierKey: State] = [:]
    /// `nil` before this instance has written the log.
    private var ledSince: Date?

    /// - Parameters:
    ///   - connections: to those of the policy's witnesses that can be reached.
    ///   - timeout: for all answers together.
    init(
        policy: TrustPolicy, connections: [any WitnessConnection], timeout: Duration, now: @escaping @Sendable () -> Date, logger: Logger
    ) {
        self.policy = policy
        self.connections = connections
        self.timeout = timeout
        self.now = now
        self.logger = logger
        // Shown from the start, so that the first failure is an increase.
        for connection in connections {
            for reason in WitnessFailure.allCases { Self.failures(connection.witness.key, reason).increment(by: 0) }
        }
    }

    private static func failures(_ key: VerifierKey, _ reason: WitnessFailure) -> Counter {
        Counter(label: "rial_log_witness_failures_total", dimensions: [("witness", key.name.text), ("reason", reason.rawValue)])
    }

    /// Which witnesses to ask.
    enum Choice: Sendable {
        /// All that have not failed too often, except the given ones.
        case standing(without: Set<VerifierKey>)
        /// Those that have failed too often and were not asked within ``asidePause``.
        case aside
    }

    /// Asks for cosignatures, all at once.
    /// - Parameter proof: makes a proof from a size to the head's, verified with our own roots.
    func ask(
        _ published: PublishedCheckpoint, committedSize: UInt64, _ choice: Choice,
        proof: @escaping @Sendable (UInt64) async throws -> ConsistencyProof
    ) async -> Answers {
        let chosen = connections.filter { connection in
            let state = states[connection.witness.key, default: State()]
            let isAside = state.failures >= Self.maximumFailures
            switch choice {
            case .standing(let without): return !isAside && !without.contains(connection.witness.key)
            // One that was asked at a time that lies ahead was asked before the clock was set back.
            case .aside: return isAside && !(0..<Self.asidePause).contains(now().timeIntervalSince(state.askedAt ?? .distantPast))
            }
        }
        return await exchange(published, committedSize, chosen, proof: proof)
    }

    /// Learns what every reachable witness has cosigned, without showing it anything new: the last published checkpoint again, from
    /// nothing.
    func learn(_ published: PublishedCheckpoint, committedSize: UInt64) async -> Answers {
        for key in states.keys { states[key]?.size = nil }
        for connection in connections {
            let key = connection.witness.key
            let kept = published.cosignatures.filter { $0.isBy(key) }.map(\.seconds).max()
            states[key, default: State()].cosignedAt = [states[key]?.cosignedAt, kept].compactMap(\.self).max()
        }
        return await exchange(published, committedSize, connections, proof: nil)
    }

    private func exchange(
        _ published: PublishedCheckpoint, _ committedSize: UInt64, _ chosen: [any WitnessConnection],
        proof: (@Sendable (UInt64) async throws -> ConsistencyProof)?
    ) async -> Answers {
        ledSince = ledSince ?? now()
        let sizes = chosen.map { proof == nil ? 0 : states[$0.witness.key]?.size ?? 0 }
        for connection in chosen { states[connection.witness.key, default: State()].askedAt = now() }
        var answers = Answers()
        await withTaskGroup(of: (VerifierKey, WitnessOutcome).self) { group in
            for (connection, size) in zip(chosen, sizes) {
                let exchange = WitnessExchange(
                    connection: connection, note: published.note, head: published.head, committedSize: committedSize, now: now,
                    logger: logger)
                group.addTask { [timeout] in
                    let outcome = await withTimeout(timeout) { await exchange.run(from: size, proof: proof) }
                    return (connection.witness.key, outcome ?? .failed(.slow))
                }
            }
            for await (key, outcome) in group { note(outcome, of: key, published.head.size, &answers) }
        }
        return answers
    }

    private func note(_ outcome: WitnessOutcome, of key: VerifierKey, _ size: UInt64, _ answers: inout Answers) {
        var state = states[key, default: State()]
        switch outcome {
        case .cosigned(let cosignature):
            state.size = size
            state.failures = 0
            state.cosignedAt = cosignature.seconds
            answers.cosignatures.append(cosignature)
        case .size(let size):
            state.size = size
        case .contradicts(let freeze):
            answers.freeze = answers.freeze ?? freeze
        case .failed(let reason):
            // Its size is asked for again once it responds.
            state.size = nil
            state.failures += 1
            Self.failures(key, reason).increment()
            if state.failures == Self.maximumFailures {
                logger.warning(
                    "a witness is asked in the background now", metadata: ["witness": "\(key.name)", "reason": "\(reason.rawValue)"])
            }
        }
        states[key] = state
    }

    /// Whether cosignatures of the policy's witnesses make its quorum.
    nonisolated func standing(_ published: PublishedCheckpoint) -> QuorumStanding {
        let verified = published.cosignatures.compactMap { kept in
            policy.witnesses.lazy.compactMap { kept.signature.verified(by: $0.key, over: published.note.text) }.first
        }
        return policy.standing(verified)
    }

    /// The witnesses of the policy that have cosigned this.
    nonisolated func cosigners(_ published: PublishedCheckpoint) -> Set<VerifierKey> {
        Set(
            policy.witnesses.map(\.key).filter { key in published.cosignatures.contains { $0.isBy(key) } })
    }

    /// The age of each witness's newest cosignature, in seconds; none before this instance was the writer. One of which none is known is as
    /// old as its time as the writer, so that a witness that never answers is seen as well.
    func ages() -> [VerifierKey: Double] {
        guard let ledSince else { return [:] }
        let keys = connections.map(\.witness.key)
        return Dictionary(
            keys.map { key in
                let seconds = states[key]?.cosignedAt.map { Double($0) } ?? ledSince.timeIntervalSince1970
                return (key, max(0, now().timeIntervalSince1970 - seconds))
            }, uniquingKeysWith: { $1 })
    }

    func measure() {
        for (key, age) in ages() { Meter(label: "rial_log_witness_age_seconds", dimensions: [("witness", key.name.text)]).set(age) }
    }
}
