import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence
import Synchronization
import TestSupport
import Testing

@testable import UploadSync

/// Where the service's rows are.
enum Backend: String, CustomTestStringConvertible {
    case memory, postgres

    /// PostgreSQL only if it is configured.
    static var available: [Backend] { TestSchema.isConfigured ? [.memory, .postgres] : [.memory] }

    var testDescription: String { rawValue }

    func rows() throws -> any SyncRows {
        switch self {
        case .memory: MemoryRows()
        case .postgres: PostgresRows(database: try #require(TestSchema.shared))
        }
    }
}

/// The service's repositories over one backend, and the rows as other services write them.
protocol SyncRows: Sendable {
    var sweeps: any IntakeCleanupRepository & DerivedRepository & ExpiryRepository & LegacyIntakeRepository { get }
    var scrubs: any ScrubRepository { get }
    var stuck: any StuckRepository { get }
    var repeats: any RepeatRepository { get }
    var erasures: any ErasureRepository { get }

    /// A capture in processing.
    func receive(_ announcement: CaptureAnnouncement) async throws
    /// Makes a capture complete or failed.
    func settle(_ capture: CaptureID, _ status: CaptureStatus, failure: FailureReason?, isWaiting: Bool) async throws
    /// The media were compared now; intake objects are left if that is for the first time.
    func sync(_ capture: CaptureID) async throws
    /// An upload of now.
    func upload(_ id: CaptureID, brings: CaptureID?) async throws
    func uploads() async throws -> Set<CaptureID>
    func name(_ name: MediaName, _ key: String, of capture: CaptureID) async throws
    /// Everything that was noted of the capture or upload was so much earlier.
    func age(_ id: CaptureID, hours: Double) async throws
    func scrubbedAt(_ capture: CaptureID) async throws -> Date?
    /// How often it was announced.
    func announcements(of capture: CaptureID) async throws -> Int
    func withdraw(_ capture: CaptureID) async throws
    /// Services tell that they stored objects late.
    func storeLate(_ capture: CaptureID) async throws
    /// Of a withdrawn capture.
    /// - Returns: seconds until the next look, and whether it counts as erased.
    func nextLook(_ capture: CaptureID) async throws -> (seconds: Double, isErased: Bool)
    /// Whether the event is noted as processed.
    func isAnswered(_ event: EventID) async throws -> Bool
}

extension SyncRows {
    /// A capture that has been what it is for so long.
    func capture(
        _ status: CaptureStatus, hoursAgo hours: Double = 0, failure: FailureReason? = nil, isWaiting: Bool = false
    ) async throws -> CaptureID {
        let announcement = StoredCapture.announcement(CaptureID(), by: DeviceID())
        try await receive(announcement)
        if status != .processing { try await settle(announcement.captureID, status, failure: failure, isWaiting: isWaiting) }
        try await age(announcement.captureID, hours: hours)
        return announcement.captureID
    }

    /// A capture that has been what it is, and has been synced, for so long.
    func synced(_ status: CaptureStatus, hoursAgo hours: Double, isWaiting: Bool = false) async throws -> CaptureID {
        let capture = try await capture(status, isWaiting: isWaiting)
        try await sync(capture)
        try await age(capture, hours: hours)
        return capture
    }

    /// An upload that began so long ago.
    func uploaded(_ id: CaptureID = CaptureID(), hoursAgo hours: Double, brings: CaptureID? = nil) async throws -> CaptureID {
        try await upload(id, brings: brings)
        try await age(id, hours: hours)
        return id
    }
}

extension MemoryRows: SyncRows {
    var sweeps: any IntakeCleanupRepository & DerivedRepository & ExpiryRepository & LegacyIntakeRepository { self }
    var scrubs: any ScrubRepository { self }
    var stuck: any StuckRepository { self }
    var repeats: any RepeatRepository { self }
    var erasures: any ErasureRepository { MemoryErasures(rows: self) }

    func receive(_ announcement: CaptureAnnouncement) async throws {
        let capture = Capture(
            announcement: announcement, kind: announcement.content.kind, status: .processing, failure: nil, uploadedAt: Self.time)
        state.withLock { $0.captures[announcement.captureID] = capture }
    }

    func settle(_ capture: CaptureID, _ status: CaptureStatus, failure: FailureReason?, isWaiting: Bool) async throws {
        state.withLock { state in
            state.captures[capture]?.status = status
            state.captures[capture]?.failure = failure
            state.captures[capture]?.isWaitingForTimestamp = isWaiting
            state.captures[capture]?.completedAt = status == .complete ? Self.time : nil
        }
    }

    func sync(_ capture: CaptureID) async throws {
        state.withLock { state in
            if state.jobs[capture] == nil { state.jobs[capture] = Job(intakeDeletedAt: nil) }
            state.jobs[capture]?.syncedAt = Self.time
        }
    }

    func upload(_ id: CaptureID, brings: CaptureID?) async throws {
        state.withLock { $0.uploads[id] = Upload(prefix: "captures/\(id)/", createdAt: Self.time, brings: brings) }
    }

    func uploads() async throws -> Set<CaptureID> { Set(now.uploads.keys) }

    func name(_ name: MediaName, _ key: String, of capture: CaptureID) async throws {
        let media = StoredMedia(key: key, sha256: ContentDigest(of: [1]), sizeBytes: 1, contentType: name.contentType)
        state.withLock { $0.objects[capture, default: [:]][name.rawValue] = media }
    }

    func age(_ id: CaptureID, hours: Double) async throws {
        let span = hours * 3600
        state.withLock { state in
            state.captures[id]?.uploadedAt -= span
            state.captures[id]?.completedAt? -= span
            state.jobs[id]?.syncedAt? -= span
            state.jobs[id]?.expiredAt? -= span
            state.jobs[id]?.scrubbedAt? -= span
            state.jobs[id]?.announceNextAt? -= span
            state.uploads[id]?.createdAt -= span
            state.uploads[id]?.abandonedAt? -= span
            state.withdrawals[id]?.withdrawnAt -= span
            state.withdrawals[id]?.openedAt -= span
            state.withdrawals[id]?.foundAt? -= span
            state.withdrawals[id]?.erasedAt? -= span
            state.withdrawals[id]?.eraseNextAt -= span
            state.withdrawals[id]?.version += 1
        }
    }

    func scrubbedAt(_ capture: CaptureID) async throws -> Date? { now.jobs[capture]?.scrubbedAt }
    func announcements(of capture: CaptureID) async throws -> Int { now.announced.count { $0 == capture } }

    func withdraw(_ capture: CaptureID) async throws { withdraw(capture, uploads: []) }

    /// - Parameter uploads: those that could be resumed and became the capture.
    func withdraw(_ capture: CaptureID, uploads: [UUID]) {
        state.withLock { state in
            state.captures[capture]?.status = .withdrawn
            state.jobs[capture] = nil
            state.objects[capture] = nil
            state.damage[capture] = nil
            state.announced.removeAll { $0 == capture }
            state.withdrawals[capture] = Withdrawal(
                withdrawnAt: Self.time, openedAt: Self.time, eraseNextAt: Self.time, uploads: uploads)
        }
    }

    func storeLate(_ capture: CaptureID) async throws {
        state.withLock { state in
            state.withdrawals[capture]?.open()
            state.withdrawals[capture]?.look(in: 0)
        }
    }

    func nextLook(_ capture: CaptureID) async throws -> (seconds: Double, isErased: Bool) {
        let withdrawal = try #require(now.withdrawals[capture])
        return (withdrawal.eraseNextAt.timeIntervalSince(Self.time), withdrawal.erasedAt != nil)
    }

    func isAnswered(_ event: EventID) async throws -> Bool { now.answered.contains(event) }
}

/// The service's tables.
struct PostgresRows: SyncRows {
    let database: PostgresPool

    var sweeps: any IntakeCleanupRepository & DerivedRepository & ExpiryRepository & LegacyIntakeRepository {
        PostgresCleanupRepository(database: database)
    }
    var scrubs: any ScrubRepository { PostgresScrubRepository(database: database) }
    var stuck: any StuckRepository { PostgresStuckRepository(database: database, outbox: Outbox(.uploadSync)) }
    var repeats: any RepeatRepository { PostgresRepeatRepository(database: database, outbox: Outbox(.uploadSync)) }
    var erasures: any ErasureRepository { PostgresErasureRepository(database: database, inbox: Inbox(.uploadSync)) }

    func receive(_ announcement: CaptureAnnouncement) async throws {
        try await StoredCapture.insert(announcement, in: database)
    }

    func settle(_ capture: CaptureID, _ status: CaptureStatus, failure: FailureReason?, isWaiting: Bool) async throws {
        let isComplete = status == .complete
        let evidence = #"{"content_credentials": {"status": "\#(isWaiting ? "pending" : "embedded")"}}"#
        _ = try await database.query(
            """
            UPDATE captures SET status = \(status.rawValue), failure = \(failure?.rawValue),
                evidence = CASE WHEN \(isComplete) THEN \(evidence)::jsonb END,
                confidence_level = CASE WHEN \(isComplete) THEN 'high' END, completed_at = CASE WHEN \(isComplete) THEN now() END
            WHERE id = \(capture.uuid)
            """)
    }

    func sync(_ capture: CaptureID) async throws {
        _ = try await database.query(
            """
            INSERT INTO sync_jobs (capture_id, result, synced_at, intake_deleted_at) VALUES (\(capture.uuid), '{}', now(), NULL)
            ON CONFLICT (capture_id) DO UPDATE SET result = '{}', synced_at = now()
            """)
    }

    func upload(_ id: CaptureID, brings: CaptureID?) async throws {
        let device = try await StoredCapture(in: database).announcement.deviceID
        _ = try await database.query(
            """
            INSERT INTO intakes (id, prefix, device_id, created_at, brings)
            VALUES (\(id.uuid), \("captures/\(id)/"), \(device.uuid), now(), \(brings?.uuid))
            """)
    }

    func uploads() async throws -> Set<CaptureID> {
        Set(try await database.query("SELECT id FROM intakes").map { CaptureID(try $0.get("id", as: UUID.self)) })
    }

    func name(_ name: MediaName, _ key: String, of capture: CaptureID) async throws {
        _ = try await database.query(
            """
            INSERT INTO media_objects (capture_id, name, object_key, sha256, size_bytes, content_type)
            VALUES (\(capture.uuid), \(name.rawValue), \(key), \(ContentDigest(of: [1]).bytes), 1, \(name.contentType))
            """)
    }

    func age(_ id: CaptureID, hours: Double) async throws {
        for (table, key, columns) in [
            ("captures", "id", ["uploaded_at", "completed_at"]), ("intakes", "id", ["created_at", "abandoned_at"]),
            ("sync_jobs", "capture_id", ["synced_at", "media_expired_at", "scrubbed_at", "announce_next_at"]),
            ("withdrawals", "capture_id", ["withdrawn_at", "opened_at", "found_at", "erased_at", "erase_next_at"]),
        ] {
            let earlier = columns.map { "\($0) = \($0) - span" }.joined(separator: ", ")
            _ = try await database.query(
                """
                UPDATE \(unescaped: table) SET \(unescaped: earlier) FROM make_interval(secs => \(hours * 3600)) AS span
                WHERE \(unescaped: key) = \(id.uuid)
                """)
        }
    }

    func scrubbedAt(_ capture: CaptureID) async throws -> Date? {
        try await database.query("SELECT scrubbed_at FROM sync_jobs WHERE capture_id = \(capture.uuid)").first?
            .getOptional("scrubbed_at", as: Date.self)
    }

    func announcements(of capture: CaptureID) async throws -> Int {
        try await database.query("SELECT id FROM upload_sync_outbox WHERE record_key = \(capture.description)").count
    }

    func makeVideo(_ capture: CaptureID) async throws {
        _ = try await database.query("UPDATE captures SET type = 'video' WHERE id = \(capture.uuid)")
    }

    /// The events that are not published were written so much earlier.
    func ageOutbox(hours: Double) async throws {
        _ = try await database.query("UPDATE upload_sync_outbox SET created_at = created_at - make_interval(secs => \(hours * 3600))")
    }

    /// The events that are not published were written just now.
    func renewOutbox() async throws { _ = try await database.query("UPDATE upload_sync_outbox SET created_at = now()") }

    /// All events are published.
    func publish() async throws { _ = try await database.query("DELETE FROM upload_sync_outbox") }

    func withdraw(_ capture: CaptureID) async throws { _ = try await database.query("SELECT rial_withdraw(\(capture.uuid))") }

    func storeLate(_ capture: CaptureID) async throws {
        _ = try await database.query("SELECT rial_objects_came_late(\(capture.uuid))")
    }

    func nextLook(_ capture: CaptureID) async throws -> (seconds: Double, isErased: Bool) {
        let row = try #require(
            try await database.query(
                """
                SELECT extract(epoch FROM erase_next_at - now())::float8 AS seconds, erased_at IS NOT NULL AS erased
                FROM withdrawals WHERE capture_id = \(capture.uuid)
                """
            ).first)
        return (try row.get("seconds", as: Double.self), try row.get("erased", as: Bool.self))
    }

    func isAnswered(_ event: EventID) async throws -> Bool {
        try await database.query("SELECT FROM upload_sync_inbox WHERE event_id = \(event.uuid)").count == 1
    }
}
