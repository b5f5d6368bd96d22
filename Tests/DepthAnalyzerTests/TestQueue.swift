import CaptureProtocol
import Foundation
import Models
import Persistence
import Synchronization
import TestSupport
import Testing

@testable import DepthAnalyzer

/// A queue of captures to be measured again, and the tests' access to it.
protocol TestQueue: Sendable {
    var queue: any MeasurementQueue { get throws }
    /// - Parameter isRequested: whether an operator asked for it.
    func add(_ announcement: CaptureAnnouncement, isRequested: Bool) async throws
    func measured(_ capture: CaptureID) async throws -> DepthFindings?
    func outcome(_ capture: CaptureID) async throws -> String?
    /// Lets so much time pass that what was taken is there again.
    func expireLeases() async throws
}

/// In PostgreSQL, in the schema of the suite.
struct PostgresTestQueue: TestQueue {
    private var database: PostgresPool { get throws { try #require(TestSchema.shared) } }
    var queue: any MeasurementQueue { get throws { PostgresMeasurementQueue(database: try database) } }

    func add(_ announcement: CaptureAnnouncement, isRequested: Bool) async throws {
        try await StoredCapture.insert(announcement, in: try database)
        let id = announcement.captureID.uuid
        _ = try await database.query(
            "UPDATE captures SET status = 'complete', confidence_level = 'low', evidence = '{}', completed_at = now() WHERE id = \(id)")
        if isRequested { _ = try await database.query("INSERT INTO reassessments (capture_id) VALUES (\(id))") }
    }

    func measured(_ capture: CaptureID) async throws -> DepthFindings? {
        try await database.query("SELECT depth FROM reassessments WHERE capture_id = \(capture.uuid)").first?
            .getOptional("depth", as: PostgresJSON.self)?.decode(DepthFindings.self)
    }

    func outcome(_ capture: CaptureID) async throws -> String? {
        try await database.query("SELECT outcome FROM reassessments WHERE capture_id = \(capture.uuid)").first?.getOptional("outcome")
    }

    func expireLeases() async throws {
        _ = try await database.query("UPDATE reassessments SET taken_at = taken_at - interval '21 minutes'")
    }

    /// Sets the clock back by hours, for what was taken.
    func setClockBack() async throws {
        _ = try await database.query("UPDATE reassessments SET taken_at = taken_at + interval '6 hours'")
    }
}

/// In memory.
final class MemoryMeasurementQueue: TestQueue, MeasurementQueue {
    private struct Entry {
        let announcement: CaptureAnnouncement
        var isDue: Bool
        var isTaken = false
        var findings: DepthFindings?
        var outcome: String?
    }

    private let entries = Mutex<[CaptureID: Entry]>([:])
    var queue: any MeasurementQueue { self }

    func add(_ announcement: CaptureAnnouncement, isRequested: Bool) async throws {
        entries.withLock { $0[announcement.captureID] = Entry(announcement: announcement, isDue: isRequested) }
    }

    func measured(_ capture: CaptureID) async throws -> DepthFindings? { entries.withLock { $0[capture]?.findings } }
    func outcome(_ capture: CaptureID) async throws -> String? { entries.withLock { $0[capture]?.outcome } }
    func expireLeases() async throws { entries.withLock { entries in for key in entries.keys { entries[key]?.isTaken = false } } }

    func take() async throws -> CaptureID? {
        entries.withLock { entries in
            let due = entries.first { $0.value.isDue && !$0.value.isTaken && $0.value.findings == nil && $0.value.outcome == nil }
            if let due { entries[due.key]?.isTaken = true }
            return due?.key
        }
    }

    func announcement(of capture: CaptureID) async throws -> CaptureAnnouncement? { entries.withLock { $0[capture]?.announcement } }
    func save(_ findings: DepthFindings, of capture: CaptureID) async throws { entries.withLock { $0[capture]?.findings = findings } }
    func refuse(_ capture: CaptureID, _ reason: FailureReason) async throws {
        entries.withLock { $0[capture]?.outcome = reason.rawValue }
    }
}
