import Foundation
import Synchronization
import TransparencyLog

/// A checkpoint that enough witnesses of the installation's policy have cosigned.
struct WitnessedCheckpoint: Sendable {
    /// A witness of the policy and when it cosigned first, or first since the statement's time.
    struct Witness: Sendable, Equatable {
        let name: String
        let at: Date
    }

    let checkpoint: CosignedCheckpoint
    /// When a quorum had; `nil` if the policy asks for no witness.
    let witnessedAt: Date?
    /// In the order of their times.
    let witnesses: [Witness]
}

/// Finds the checkpoints against which proofs are made. None was seen before the time that its entry states: if a clock was ahead then,
/// there is none for a while.
struct CheckpointFinder: Sendable {
    /// How many checkpoints are read at a time, and how many times: witnesses may have been unavailable for long.
    static let (page, pages) = (16, 64)
    let log: any LogReading
    /// The installation's policy. Those who verify a bundle use a policy of their own.
    let policy: TrustPolicy
    private let known = KnownCheckpoints()

    init(log: any LogReading, policy: TrustPolicy) {
        self.log = log
        self.policy = policy
    }

    /// The earliest that holds the entry and has a quorum and a time stamp, else the earliest with a quorum.
    func best(for place: LogPlace) async throws -> WitnessedCheckpoint? {
        var stamped = search(of: place)
        stamped.isStamped = true
        if let found = first(of: try await log.checkpoints(stamped)) { return found }
        return try await earliest(for: place)
    }

    /// The earliest with a quorum that holds the entry. If thousands of smaller ones have none, the newest with one may be found instead.
    func earliest(for place: LogPlace) async throws -> WitnessedCheckpoint? {
        if let found = known.find(place) { return found }
        guard let found = try await search(for: place) else { return nil }
        known.note(found, for: place)
        return found
    }

    private func search(for place: LogPlace) async throws -> WitnessedCheckpoint? {
        var search = search(of: place)
        let earliest = try await log.checkpoints(search)
        if let found = first(of: earliest) { return found }
        guard earliest.count == Self.page else { return nil }
        search.isNewestFirst = true
        guard let newest = first(of: try await log.checkpoints(search)) else { return nil }
        search.isNewestFirst = false
        search.index = earliest.compactMap(\.self).last?.size ?? newest.checkpoint.size
        for _ in 1..<Self.pages where search.index < newest.checkpoint.size {
            let next = try await log.checkpoints(search)
            if let found = first(of: next) { return found }
            search.index = next.compactMap(\.self).last?.size ?? newest.checkpoint.size
        }
        return newest
    }

    private func search(of place: LogPlace) -> CheckpointSearch {
        // With an earlier one, verifiers would find that the entry was seen before it was made.
        let earliest = TimeInterval(place.time) - TimeInterval(BundleVerifier.clockTolerance)
        return CheckpointSearch(
            origin: place.shard.origin, index: place.index, notBefore: Date(timeIntervalSince1970: earliest),
            isCosigned: policy.standing([]) != .notRequired, limit: Self.page)
    }

    private func first(of checkpoints: [CosignedCheckpoint?]) -> WitnessedCheckpoint? {
        for checkpoint in checkpoints.compactMap(\.self) { if let found = assess(checkpoint) { return found } }
        return nil
    }

    /// - Returns: `nil` without a quorum.
    private func assess(_ checkpoint: CosignedCheckpoint) -> WitnessedCheckpoint? {
        // One false signature spoils the note for everybody who verifies it.
        guard let signatures = try? checkpoint.note.verified(by: policy.keys) else { return nil }
        let witnesses = signatures.compactMap { signature in
            signature.seconds.map { WitnessedCheckpoint.Witness(name: signature.key.name.text, at: Self.date($0)) }
        }.sorted { ($0.at, $0.name) < ($1.at, $1.name) }
        switch policy.standing(signatures) {
        case .missing: return nil
        case .notRequired: return WitnessedCheckpoint(checkpoint: checkpoint, witnessedAt: nil, witnesses: witnesses)
        case .met(let seconds):
            return WitnessedCheckpoint(checkpoint: checkpoint, witnessedAt: Self.date(seconds), witnesses: witnesses)
        }
    }

    private static func date(_ seconds: UInt64) -> Date { Date(timeIntervalSince1970: TimeInterval(seconds)) }
}

/// A cache of what was found. It stays true, and every view of a record needs it: so signatures are verified once, not each time.
private final class KnownCheckpoints: Sendable {
    private static let limit = 4096
    private struct Key: Hashable {
        let origin: String
        let index: UInt64
    }
    private let found = Mutex<[Key: WitnessedCheckpoint]>([:])

    func find(_ place: LogPlace) -> WitnessedCheckpoint? {
        found.withLock { $0[Key(origin: place.shard.origin, index: place.index)] }
    }

    func note(_ checkpoint: WitnessedCheckpoint, for place: LogPlace) {
        found.withLock { found in
            if found.count >= Self.limit { found.removeAll() }
            found[Key(origin: place.shard.origin, index: place.index)] = checkpoint
        }
    }
}
