import CaptureProtocol
import Foundation
import Models
import Site
import TransparencyLog

/// Where a capture's last statement stands in the public log, as the API says it.
struct LogStatus: Encodable, Sendable, Equatable {
    enum State: String, Encodable, Sendable {
        /// On its way, or held back until its day has ended.
        case pending
        /// In a published tree, which too few witnesses have seen so far, or of which the policy asks for none.
        case logged
        /// And enough witnesses have.
        case witnessed
        /// The log accepts no entries at the moment.
        case unavailable
    }

    /// Whether the last verdict counts.
    enum Standing: String, Encodable, Sendable { case stands, revoked }

    var status: State
    /// These are `nil` until it is in a published tree.
    var origin: String?
    var index: UInt64?
    /// The size of the tree that the witnesses saw, or of the published one.
    var treeSize: UInt64?
    /// When enough witnesses had seen it.
    var witnessedAt: Date?
    /// `nil` without a statement.
    var standing: Standing?
    /// Not for the API: those that have seen it.
    var witnesses: [WitnessedCheckpoint.Witness] = []
    /// Whether waiting a minute changes nothing.
    var isSettled = false

    enum CodingKeys: String, CodingKey {
        case status, origin, index
        case treeSize = "tree_size"
        case witnessedAt = "witnessed_at"
        case standing
    }

    /// Encodes absent values as `null`.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(status, forKey: .status)
        try container.encode(origin, forKey: .origin)
        try container.encode(index, forKey: .index)
        try container.encode(treeSize, forKey: .treeSize)
        try container.encode(witnessedAt, forKey: .witnessedAt)
        try container.encode(standing, forKey: .standing)
    }
}

/// Finds out where captures stand in the log.
struct LogStatusReader: Sendable {
    let log: any LogReading
    let finder: CheckpointFinder

    /// - Parameter state: of the capture.
    /// - Returns: `nil` unless it is complete: nothing is stated of others.
    func status(of capture: CaptureID, _ state: CaptureStatus, at now: Date) async throws -> LogStatus? {
        guard state == .complete else { return nil }
        return try await status(after: last(of: capture), at: now)
    }

    /// The last statement about a capture, by which ``status(after:at:)`` finds out the rest.
    func last(of capture: CaptureID) async throws -> PlacedStatement? { try await log.last(of: capture) }

    /// The verdicts that others by other methods have followed, oldest first.
    func earlierVerdicts(on capture: CaptureID) async throws -> [EarlierVerdict] {
        let stated = try await log.statements(of: capture).compactMap { stored in
            stored.statement.verdict.map { (verdict: $0, time: stored.statement.time, isHeld: stored.placed.notBefore != nil) }
        }
        let followed = zip(stated, stated.dropFirst()).filter { one, next in
            one.verdict.confidence != next.verdict.confidence || one.verdict.algorithms != next.verdict.algorithms
        }
        return followed.map { one, _ in
            let time = Date(timeIntervalSince1970: TimeInterval(one.time))
            return EarlierVerdict(
                at: one.isHeld ? .day(Timestamp.startOfDay(time.addingTimeInterval(-1))) : .exact(time),
                confidence: ConfidenceLevel(one.verdict.confidence), methods: one.verdict.algorithms)
        }
    }

    /// - Parameter last: the last statement about a capture that is complete.
    func status(after last: PlacedStatement?, at now: Date) async throws -> LogStatus {
        let standing: LogStatus.Standing? = last.map { $0.kind == .revocation ? .revoked : .stands }
        guard let place = last?.place, place.isPublished else {
            if let notBefore = last?.notBefore, notBefore > now {
                return LogStatus(status: .pending, standing: standing, isSettled: true)
            }
            let isOpen = try await log.intake() == .open
            return LogStatus(status: isOpen ? .pending : .unavailable, standing: standing, isSettled: !isOpen)
        }
        var status = LogStatus(
            status: .logged, origin: place.shard.origin, index: place.index, treeSize: place.shard.size, standing: standing)
        if let found = try await finder.earliest(for: place) {
            status.treeSize = found.checkpoint.size
            status.witnesses = found.witnesses
            status.isSettled = true
            status.witnessedAt = found.witnessedAt
            if found.witnessedAt != nil { status.status = .witnessed }
        }
        return status
    }
}

extension ConfidenceLevel {
    init(_ confidence: Verdict.Confidence) {
        switch confidence {
        case .high: self = .high
        case .medium: self = .medium
        case .low: self = .low
        case .suspicious: self = .suspicious
        }
    }
}
