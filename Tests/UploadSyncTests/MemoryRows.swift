import CaptureProtocol
import Foundation
import Models
import Synchronization
import TestSupport

@testable import UploadSync

/// The sweeps' rows in memory. A test decides which are due; the sweeps' writes are recorded.
final class MemoryRows: IntakeCleanUpRepository, DerivedRepository, ExpiryRepository, LegacyIntakeRepository {
    struct State {
        var finished: [CaptureID] = []
        var abandoned: [(id: CaptureID, prefix: String)] = []
        var unswept: [CaptureID] = []
        var named: [CaptureID: Set<String>] = [:]
        var expired: [CaptureID] = []
        /// Captures uploaded again before their media are deleted, or afterwards.
        var broughtBefore: Set<CaptureID> = []
        var broughtAfter: Set<CaptureID> = []
        var forgotten: Set<CaptureID> = []
        var withIntake: Set<CaptureID> = []
        var batches = 0
    }

    private let state: Mutex<State>

    init(_ prepare: (inout State) -> Void = { _ in }) {
        var state = State()
        prepare(&state)
        self.state = Mutex(state)
    }

    var now: State { state.withLock { $0 } }

    func finished(limit: Int) async throws -> [CaptureID] { batch { Array($0.finished.prefix(limit)) } }
    func noteDeleted(_ capture: CaptureID) async throws { state.withLock { $0.finished.removeAll { $0 == capture } } }
    func forgetRecorded() async throws {}
    func abandon(limit: Int) async throws -> [(id: CaptureID, prefix: String)] { batch { Array($0.abandoned.prefix(limit)) } }
    func forget(_ upload: CaptureID) async throws { state.withLock { $0.abandoned.removeAll { $0.id == upload } } }

    func unswept(limit: Int) async throws -> [CaptureID] { batch { Array($0.unswept.prefix(limit)) } }
    func objectKeys(of capture: CaptureID) async throws -> Set<String> { state.withLock { $0.named[capture] ?? [] } }
    func noteSwept(_ capture: CaptureID) async throws { state.withLock { $0.unswept.removeAll { $0 == capture } } }

    func expired(limit: Int) async throws -> [CaptureID] { batch { Array($0.expired.prefix(limit)) } }
    func forgetMedia(of capture: CaptureID) async throws -> Bool {
        state.withLock { state in
            guard !state.broughtBefore.contains(capture) else { return false }
            state.forgotten.insert(capture)
            return true
        }
    }
    func expire(_ capture: CaptureID, delete: @escaping @Sendable () async throws -> Void) async throws -> Bool {
        guard !state.withLock({ $0.broughtAfter.contains(capture) }) else { return false }
        try await delete()
        state.withLock { $0.expired.removeAll { $0 == capture } }
        return true
    }

    func noteIntake(of capture: CaptureID) async throws { state.withLock { _ = $0.withIntake.insert(capture) } }

    private func batch<Rows>(_ rows: (State) -> [Rows]) -> [Rows] {
        state.withLock { state in
            state.batches += 1
            return rows(state)
        }
    }
}

/// The times of scrubs, in memory.
final class MemoryScrubRows: ScrubRepository {
    struct State {
        var due: [(capture: CaptureID, objects: [(name: String, media: StoredMedia)])] = []
        var looked: [CaptureID] = []
        /// By name; removed once repaired.
        var problems: [String: MediaProblem] = [:]
        var isMeasured = false
    }

    private let state: Mutex<State>

    init(_ due: [(capture: CaptureID, objects: [(name: String, media: StoredMedia)])]) { state = Mutex(State(due: due)) }

    var now: State { state.withLock { $0 } }

    /// Makes the objects due for a scrub again.
    func add(_ capture: CaptureID, _ objects: [(name: String, media: StoredMedia)]) {
        state.withLock { $0.due.append((capture, objects)) }
    }

    func withNext(
        days: Int, look: @escaping @Sendable (CaptureID, [(name: String, media: StoredMedia)]) async throws -> ScrubFindings
    ) async throws -> ScrubFindings? {
        guard let next = state.withLock({ $0.due.isEmpty ? nil : $0.due.removeFirst() }) else { return nil }
        do {
            let findings = try await look(next.capture, next.objects)
            state.withLock { state in
                state.looked.append(next.capture)
                for object in findings.objects { state.problems[object.name] = object.problem }
            }
            return findings
        } catch {
            state.withLock { $0.due.insert(next, at: 0) }
            throw error
        }
    }

    func measure() async throws -> (damaged: Int64, unscrubbedSeconds: Double) {
        state.withLock { state in
            state.isMeasured = true
            return (Int64(state.problems.count), 0)
        }
    }
}
