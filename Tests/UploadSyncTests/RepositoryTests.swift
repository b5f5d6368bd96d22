import CaptureProtocol
import Foundation
import Models
import Persistence
import TestSupport
import Testing

@testable import UploadSync

private struct Hiccup: Error {}

@Suite(
    "What may go, and what is to be read again, in PostgreSQL", .sharedSchema("sweeps"),
    .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
struct RepositoryTests {
    private let database: PostgresPool
    private let rows: PostgresCleanUpRepository

    init() throws {
        database = try #require(TestSchema.shared)
        rows = PostgresCleanUpRepository(database: database)
    }

    /// A capture that reached this status so many hours ago.
    private func capture(_ status: CaptureStatus, hoursAgo hours: Int, credentials: String = "embedded") async throws -> CaptureID {
        let id = try await StoredCapture(in: database).id
        let isComplete = status == .complete
        let evidence = #"{"content_credentials": {"status": "\#(credentials)"}}"#
        _ = try await database.query(
            """
            UPDATE captures SET status = \(status.rawValue), evidence = CASE WHEN \(isComplete) THEN \(evidence)::jsonb END,
                confidence_level = CASE WHEN \(isComplete) THEN 'high' END, uploaded_at = now() - make_interval(hours => \(hours)::int),
                completed_at = CASE WHEN \(isComplete) THEN now() - make_interval(hours => \(hours)::int) END
            WHERE id = \(id.uuid)
            """)
        return id
    }

    private func synced(_ capture: CaptureID, hoursAgo hours: Int) async throws {
        _ = try await database.query(
            """
            INSERT INTO sync_jobs (capture_id, result, synced_at, intake_deleted_at)
            VALUES (\(capture.uuid), '{}', now() - make_interval(hours => \(hours)::int), NULL)
            """)
    }

    private func upload(_ id: CaptureID = CaptureID(), hoursAgo hours: Int, brings: CaptureID? = nil) async throws -> CaptureID {
        let device = try await StoredCapture(in: database).announcement.deviceID
        _ = try await database.query(
            """
            INSERT INTO intakes (id, prefix, device_id, created_at, brings)
            VALUES (\(id.uuid), \("captures/\(id)/"), \(device.uuid), now() - make_interval(hours => \(hours)::int), \(brings?.uuid))
            """)
        return id
    }

    @Test("intake of captures that are complete and were synced an hour ago may go, once")
    func finished() async throws {
        let (old, young, failed) = (
            try await capture(.complete, hoursAgo: 2), try await capture(.complete, hoursAgo: 0), try await capture(.failed, hoursAgo: 2)
        )
        for id in [old, young, failed] { try await synced(id, hoursAgo: 2) }
        let found = try await rows.finished(limit: 100)
        #expect(found.contains(old) && !found.contains(young) && !found.contains(failed))
        try await rows.noteDeleted(old)
        #expect(try await !rows.finished(limit: 100).contains(old))
        try await rows.noteIntake(of: old)
        #expect(try await rows.finished(limit: 100).contains(old))
    }

    @Test("uploads of which nothing came may go after a day, and are given again while they are there")
    func abandoned() async throws {
        let (old, young, bringing) = (
            try await upload(hoursAgo: 25), try await upload(hoursAgo: 23), try await upload(hoursAgo: 25, brings: CaptureID())
        )
        let recorded = try await upload(try await capture(.processing, hoursAgo: 25), hoursAgo: 25)
        let found = try await rows.abandon(limit: 100)
        #expect(found.first { $0.id == old }?.prefix == "captures/\(old)/")
        #expect(!found.contains { [young, bringing, recorded].contains($0.id) })
        #expect(try await !rows.abandon(limit: 100).contains { $0.id == old })
        _ = try await database.query("UPDATE intakes SET abandoned_at = now() - interval '11 minutes' WHERE id = \(old.uuid)")
        #expect(try await rows.abandon(limit: 100).contains { $0.id == old })
        try await rows.forget(old)
        try await rows.forgetRecorded()
        let left = try await database.query("SELECT id FROM intakes").map { CaptureID(try $0.get("id", as: UUID.self)) }
        #expect(!left.contains(old) && !left.contains(recorded) && left.contains(young) && left.contains(bringing))
    }

    @Test("captures are looked through for unnamed objects a day after they were complete, unless a time stamp is waited for")
    func unswept() async throws {
        let (old, young, pending) = (
            try await capture(.complete, hoursAgo: 25), try await capture(.complete, hoursAgo: 23),
            try await capture(.complete, hoursAgo: 25, credentials: "pending")
        )
        for id in [old, young, pending] { try await synced(id, hoursAgo: 25) }
        let found = try await rows.unswept(limit: 100)
        #expect(found.contains(old) && !found.contains(young) && !found.contains(pending))
        try await name("a", of: old)
        #expect(try await rows.objectKeys(of: old) == ["a"])
        try await rows.noteSwept(old)
        #expect(try await !rows.unswept(limit: 100).contains(old))
    }

    private func name(_ key: String, of capture: CaptureID) async throws {
        _ = try await database.query(
            """
            INSERT INTO media_objects (capture_id, name, object_key, sha256, size_bytes, content_type)
            VALUES (\(capture.uuid), \(MediaName.original.rawValue), \(key), \(ContentDigest(of: [1]).bytes), 1, 'image/jpeg')
            """)
    }

    @Test("media of failed captures of unverified devices may go after a month, unless somebody brings them again")
    func expired() async throws {
        let (old, young, brought) = (
            try await capture(.failed, hoursAgo: 31 * 24), try await capture(.failed, hoursAgo: 29 * 24),
            try await capture(.failed, hoursAgo: 31 * 24)
        )
        _ = try await upload(hoursAgo: 0, brings: brought)
        try await synced(old, hoursAgo: 31 * 24)
        let found = try await rows.expired(limit: 100)
        #expect(found.contains(old) && found.contains(brought) && !found.contains(young))
        #expect(try await !rows.forgetMedia(of: brought))
        #expect(try await !rows.expire(brought) { Issue.record("deleted") })
        #expect(try await rows.forgetMedia(of: old))
        await #expect(throws: Hiccup.self) { try await rows.expire(old) { throw Hiccup() } }
        #expect(try await rows.expired(limit: 100).contains(old))
        #expect(try await rows.expire(old) {})
        #expect(try await !rows.expired(limit: 100).contains(old))
        // Brought again and expired again.
        _ = try await database.query(
            """
            UPDATE sync_jobs SET media_expired_at = now() - interval '31 days', synced_at = now() - interval '30 days'
            WHERE capture_id = \(old.uuid)
            """)
        #expect(try await rows.expired(limit: 100).contains(old))
        #expect(try await rows.forgetMedia(of: old))
        await #expect(throws: Hiccup.self) { try await rows.expire(old) { throw Hiccup() } }
        #expect(try await rows.expired(limit: 100).contains(old))
    }

    @Test("the lock under which media go outlasts a slow store")
    func slowExpiry() async throws {
        let old = try await capture(.failed, hoursAgo: 31 * 24)
        let isExpired = try await rows.expire(old) { [database] in
            let last = try await database.query(
                """
                SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'
                    AND query LIKE 'SELECT set_config(''idle_in_transaction_session_timeout''%'
                """)
            #expect(last.count == 1)
        }
        #expect(isExpired)
    }

    @Test("media are read again in the order of their last look, and damage is kept until it is mended")
    func scrubbed() async throws {
        let scrubs = PostgresScrubRepository(database: database)
        let capture = try await capture(.complete, hoursAgo: 500 * 24)
        try await synced(capture, hoursAgo: 500 * 24)
        try await name("b", of: capture)
        func look(_ problem: MediaProblem?) async throws -> [String]? {
            let findings = try await scrubs.withNext(days: 400) { id, objects in
                #expect(id == capture)
                return ScrubFindings(objects: objects.map { .init(name: $0.name, media: $0.media, problem: problem) })
            }
            return findings?.objects.map(\.media.key)
        }
        #expect(try await look(.missing) == ["b"])
        #expect(try await look(.missing) == nil, "it was looked at just now")
        #expect(try await scrubs.measure().damaged == 1)
        try await setScrub(of: capture, to: nil)
        await #expect(throws: Hiccup.self) { try await scrubs.withNext(days: 400) { _, _ in throw Hiccup() } }
        #expect(try await look(nil) == ["b"], "a process that fails over it leaves it due")
        let state = try await scrubs.measure()
        #expect(state.damaged == 0 && state.unscrubbedSeconds >= 0)

        let before = Date(timeIntervalSinceNow: -450 * 86_400)
        try await setScrub(of: capture, to: before)
        let cancelled = Task {
            try await scrubs.withNext(days: 400) { _, _ in
                withUnsafeCurrentTask { $0?.cancel() }
                try Task.checkCancellation()
                return ScrubFindings()
            }
        }
        await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
        let kept = try await database.query("SELECT scrubbed_at FROM sync_jobs WHERE capture_id = \(capture.uuid)")
        let keptAt = try #require(try kept.first?.getOptional("scrubbed_at", as: Date.self))
        #expect(abs(keptAt.timeIntervalSince(before)) < 0.001, "one that is cancelled over it, too")

        let withdrawn = try await scrubs.withNext(days: 400) { id, objects in
            // Nothing is locked meanwhile, and another instance has other captures.
            let other = try await scrubs.withNext(days: 400) { _, _ in ScrubFindings() }
            #expect(other == nil)
            _ = try await database.query("SELECT rial_withdraw(\(id.uuid))")
            return ScrubFindings(objects: objects.map { .init(name: $0.name, media: $0.media, problem: .missing) })
        }
        #expect(withdrawn?.objects.count == 1)
        #expect(try await scrubs.measure().damaged == 0, "nothing is kept of what was withdrawn meanwhile")
    }

    private func setScrub(of capture: CaptureID, to time: Date?) async throws {
        _ = try await database.query("UPDATE sync_jobs SET scrubbed_at = \(time) WHERE capture_id = \(capture.uuid)")
    }
}
