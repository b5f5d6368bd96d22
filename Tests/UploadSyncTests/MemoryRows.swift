import CaptureProtocol
import Foundation
import Models
import Synchronization
import TestSupport

@testable import UploadSync

/// The service's rows in memory. Time stands still; a test makes rows as old as it wants them.
final class MemoryRows: Sendable {
    struct Capture {
        let announcement: CaptureAnnouncement
        /// `nil` for one that this version does not know.
        var kind: CaptureKind?
        var status: CaptureStatus
        var failure: FailureReason?
        var uploadedAt: Date
        var completedAt: Date?
        var isWaitingForTimestamp = false
    }

    struct Job {
        var syncedAt: Date?
        var intakeDeletedAt: Date? = MemoryRows.time
        var sweptAt: Date?
        var expiredAt: Date?
        var scrubbedAt: Date?
        var announcements = 0
        var repairs = 0
        var announceNextAt: Date?
    }

    struct Upload {
        let prefix: String
        var createdAt: Date
        let brings: CaptureID?
        var abandonedAt: Date?
    }

    struct Withdrawal {
        var withdrawnAt: Date
        var openedAt: Date
        var foundAt: Date?
        var erasedAt: Date?
        var eraseNextAt: Date
        /// Changes with `eraseNextAt`.
        var version = 0
        let uploads: [UUID]
    }

    /// A look at the objects of a withdrawn capture.
    struct Note: Equatable {
        let capture: CaptureID
        let found: Int
        let event: EventID?
    }

    struct State {
        var captures: [CaptureID: Capture] = [:]
        var jobs: [CaptureID: Job] = [:]
        var uploads: [CaptureID: Upload] = [:]
        var objects: [CaptureID: [String: StoredMedia]] = [:]
        var damage: [CaptureID: [String: MediaProblem]] = [:]
        var withdrawals: [CaptureID: Withdrawal] = [:]
        /// What a transaction holds.
        var locked: Set<CaptureID> = []
        var announced: [CaptureID] = []
        var answered: Set<EventID> = []
        /// In the order in which they were looked at.
        var scrubbed: [CaptureID] = []
        var notes: [Note] = []
        /// How often the state of stored media was asked for.
        var measurements = 0
        /// How often something to clean up was asked for.
        var batches = 0

        /// Whether the capture is failed, and nothing restores its media.
        func isGone(_ capture: CaptureID) -> Bool {
            captures[capture]?.status == .failed && uploads[capture] == nil && !uploads.values.contains { $0.brings == capture }
                && !(jobs[capture]?.syncedAt.map { $0 > MemoryRows.ago(hours: 24) } ?? false)
        }
    }

    static let time = Date(timeIntervalSince1970: 1_795_000_000)
    static func ago(hours: Double) -> Date { time.addingTimeInterval(-hours * 3600) }

    let state = Mutex(State())
    var now: State { state.withLock { $0 } }

    /// The next rows to clean up.
    func batch<Found: Sendable>(_ limit: Int, _ find: (inout State) -> [Found]) -> [Found] {
        state.withLock { state in
            state.batches += 1
            return Array(find(&state).prefix(limit))
        }
    }

    /// Runs `body` while it holds the capture, as a transaction does.
    /// - Returns: `nil` if another one holds it.
    func locking<Value: Sendable>(_ capture: CaptureID, _ body: () async throws -> Value) async throws -> Value? {
        guard state.withLock({ $0.locked.insert(capture).inserted }) else { return nil }
        defer { state.withLock { _ = $0.locked.remove(capture) } }
        return try await body()
    }
}

extension MemoryRows: IntakeCleanupRepository, LegacyIntakeRepository {
    func finished(limit: Int) async throws -> [CaptureID] {
        batch(limit) { state in
            let hour = Self.ago(hours: 1)
            let due = state.jobs.compactMap { id, job -> (id: CaptureID, at: Date)? in
                guard job.intakeDeletedAt == nil, let syncedAt = job.syncedAt, syncedAt < hour, let capture = state.captures[id],
                    capture.status == .complete, let completedAt = capture.completedAt, completedAt < hour
                else { return nil }
                return (id, syncedAt)
            }
            return due.sorted { $0.at < $1.at }.map { $0.id }
        }
    }

    func noteDeleted(_ capture: CaptureID) async throws { state.withLock { $0.jobs[capture]?.intakeDeletedAt = Self.time } }
    func noteIntake(of capture: CaptureID) async throws {
        state.withLock { $0.jobs[capture, default: Job()].intakeDeletedAt = nil }
    }

    func forgetRecorded() async throws {
        state.withLock { state in
            for (id, upload) in state.uploads where state.captures[id] != nil && upload.createdAt < Self.ago(hours: 24) {
                state.uploads[id] = nil
            }
        }
    }

    func abandon(limit: Int) async throws -> [(id: CaptureID, prefix: String)] {
        batch(limit) { state in
            let due = state.uploads.filter { id, upload in
                guard state.captures[id] == nil else { return false }
                if let abandonedAt = upload.abandonedAt { return abandonedAt < Self.ago(hours: 1.0 / 6) }
                return upload.brings == nil && upload.createdAt < Self.ago(hours: 24)
            }
            let first = due.sorted {
                let (left, right) = ($0.value.abandonedAt ?? .distantPast, $1.value.abandonedAt ?? .distantPast)
                return (left, $0.value.createdAt) < (right, $1.value.createdAt)
            }.prefix(limit)
            for (id, _) in first { state.uploads[id]?.abandonedAt = Self.time }
            return first.map { (id: $0.key, prefix: $0.value.prefix) }
        }
    }

    func forget(_ upload: CaptureID) async throws { state.withLock { $0.uploads[upload] = nil } }
}

extension MemoryRows: DerivedRepository {
    func unswept(limit: Int) async throws -> [CaptureID] {
        batch(limit) { state in
            let day = Self.ago(hours: 24)
            let due = state.jobs.compactMap { id, job -> (id: CaptureID, at: Date)? in
                guard job.sweptAt == nil, let syncedAt = job.syncedAt, syncedAt < day, let capture = state.captures[id],
                    capture.status == .complete, let completedAt = capture.completedAt, completedAt < day, !capture.isWaitingForTimestamp
                else { return nil }
                return (id, syncedAt)
            }
            return due.sorted { $0.at < $1.at }.map { $0.id }
        }
    }

    func objectKeys(of capture: CaptureID) async throws -> Set<String> {
        state.withLock { Set(($0.objects[capture] ?? [:]).values.map(\.key)) }
    }

    func noteSwept(_ capture: CaptureID) async throws { state.withLock { $0.jobs[capture]?.sweptAt = Self.time } }
}

extension MemoryRows: ExpiryRepository {
    func expired(limit: Int) async throws -> [CaptureID] {
        batch(limit) { state in
            let month = Self.ago(hours: 30 * 24)
            let due = state.captures.filter { id, capture in
                guard capture.uploadedAt < month, state.isGone(id) else { return false }
                guard let job = state.jobs[id], let expiredAt = job.expiredAt else { return true }
                return expiredAt < month && (job.syncedAt ?? .distantPast) > expiredAt
            }
            return due.sorted { $0.value.uploadedAt < $1.value.uploadedAt }.map { $0.key }
        }
    }

    func forgetMedia(of capture: CaptureID) async throws -> Bool {
        try await whileFailed(capture) { [self] in
            state.withLock { state in
                state.jobs[capture]?.syncedAt = nil
                state.jobs[capture]?.expiredAt = nil
            }
        }
    }

    func expire(_ capture: CaptureID, delete: @escaping @Sendable () async throws -> Void) async throws -> Bool {
        try await whileFailed(capture) { [self] in
            try await delete()
            state.withLock { $0.jobs[capture, default: Job()].expiredAt = Self.time }
        }
    }

    private func whileFailed(_ capture: CaptureID, _ work: () async throws -> Void) async throws -> Bool {
        let isDone = try await locking(capture) {
            guard now.isGone(capture) else { return false }
            try await work()
            return true
        }
        return isDone ?? false
    }
}

extension MemoryRows: StuckRepository {
    func oldestSeconds() async throws -> Double {
        let oldest = now.captures.values.filter { $0.status == .processing }.map(\.uploadedAt).min()
        return oldest.map { Self.time.timeIntervalSince($0) } ?? 0
    }

    func announceDue(after: Duration, limit: Int) async throws -> [StuckCapture] {
        state.withLock { state in
            var due: [(id: CaptureID, capture: Capture, wait: Double)] = []
            for (id, capture) in state.captures {
                let isVideo = capture.announcement.content.kind.type == .video
                let wait = Double(after.components.seconds * (isVideo ? StuckCaptures.videoFactor : 1))
                let job = state.jobs[id] ?? Job()
                let isRepairable =
                    capture.status == .failed && job.repairs < StuckCaptures.maximumRepairs
                    && (capture.failure.map { StuckCaptures.ownFaults.contains($0) } ?? false)
                guard capture.status == .processing || isRepairable else { continue }
                let isAhead = (job.announceNextAt ?? capture.uploadedAt) > Self.ago(hours: -61.0 / 60)
                guard isAhead || (job.announceNextAt ?? capture.uploadedAt.addingTimeInterval(wait)) <= Self.time else { continue }
                due.append((id, capture, wait))
            }
            due.sort { $0.capture.uploadedAt < $1.capture.uploadedAt }
            for (id, capture, wait) in due.prefix(limit) {
                if capture.kind != nil { state.announced.append(id) }
                var job = state.jobs[id] ?? Job()
                var next = wait * 2
                for _ in 0..<min(job.announcements, 11) { next *= 2 }
                job.announcements += 1
                job.repairs += capture.status == .failed ? 1 : 0
                job.announceNextAt = Self.time.addingTimeInterval(min(next, 3600))
                state.jobs[id] = job
            }
            return due.prefix(limit).map { StuckCapture(id: $0.id, kind: $0.capture.kind) }
        }
    }
}

extension MemoryRows: RepeatRepository {
    func waiting(limit: Int, excluding paused: Set<CaptureID>) async throws -> [CaptureID] {
        let waiting = now.uploads.filter { $0.value.brings != nil && $0.value.abandonedAt == nil && !paused.contains($0.key) }
        return waiting.sorted { $0.value.createdAt < $1.value.createdAt }.prefix(limit).map { $0.key }
    }

    func bring(
        _ upload: CaptureID, copy: @escaping @Sendable (CaptureAnnouncement, CaptureStatus) async throws -> Bool
    ) async throws -> Bool {
        let isBrought = try await locking(upload) {
            guard let known = now.uploads[upload], let id = known.brings, known.abandonedAt == nil, now.captures[upload] == nil else {
                return false
            }
            // What holds the capture is waited for.
            while try await locking(id, { try await bring(upload, to: id, copy) }) == nil { await Task.yield() }
            return true
        }
        return isBrought ?? false
    }

    private func bring(
        _ upload: CaptureID, to id: CaptureID, _ copy: @Sendable (CaptureAnnouncement, CaptureStatus) async throws -> Bool
    ) async throws {
        var isAnnounced = false
        if let capture = now.captures[id], capture.status == .processing || capture.status == .failed {
            isAnnounced = try await copy(capture.announcement, capture.status)
            try await storeLate(id)
        }
        state.withLock { [isAnnounced] state in
            if isAnnounced {
                state.announced.append(id)
                // Of what was withdrawn meanwhile nothing is noted.
                if state.captures[id]?.status != .withdrawn { state.jobs[id, default: Job()].syncedAt = Self.time }
            }
            state.uploads[upload]?.abandonedAt = Self.time
        }
    }
}

extension MemoryRows: ScrubRepository {
    func withNext(
        days: Int, look: @escaping @Sendable (CaptureID, [(name: String, media: StoredMedia)]) async throws -> ScrubFindings
    ) async throws -> ScrubFindings? {
        guard let (capture, formerly) = claim(days: days) else { return nil }
        let objects = (now.objects[capture] ?? [:]).sorted { $0.key < $1.key }.map { (name: $0.key, media: $0.value) }
        do {
            let findings = try await look(capture, objects)
            state.withLock { state in
                state.scrubbed.append(capture)
                for object in findings.objects {
                    // One that was replaced during the look is not damaged, nor is one of a capture that was withdrawn.
                    if object.problem != nil, state.objects[capture]?[object.name]?.key != object.media.key { continue }
                    state.damage[capture, default: [:]][object.name] = object.problem
                }
                if findings.isDueAgainSoon, state.jobs[capture]?.scrubbedAt == Self.time {
                    state.jobs[capture]?.scrubbedAt = Self.ago(hours: Double(days) * 24 - 1)
                }
            }
            return findings
        } catch {
            state.withLock { $0.jobs[capture]?.scrubbedAt = formerly }
            throw error
        }
    }

    /// - Returns: the capture whose last scrub is oldest, and when that was.
    private func claim(days: Int) -> (capture: CaptureID, formerly: Date?)? {
        state.withLock { state in
            let due = state.jobs.compactMap { id, job -> (id: CaptureID, last: Date)? in
                guard let syncedAt = job.syncedAt else { return nil }
                let last = job.scrubbedAt ?? syncedAt
                return last < Self.ago(hours: Double(days) * 24) ? (id, last) : nil
            }
            guard let next = due.min(by: { $0.last < $1.last }) else { return nil }
            let formerly = state.jobs[next.id]?.scrubbedAt
            state.jobs[next.id]?.scrubbedAt = Self.time
            return (next.id, formerly)
        }
    }

    func measure() async throws -> (damaged: Int64, unscrubbedSeconds: Double) {
        state.withLock { state in
            state.measurements += 1
            let oldest = state.jobs.values.compactMap { job in job.syncedAt.map { job.scrubbedAt ?? $0 } }.min()
            return (
                Int64(state.damage.values.reduce(0) { $0 + $1.count }), oldest.map { Self.time.timeIntervalSince($0) } ?? 0
            )
        }
    }
}
