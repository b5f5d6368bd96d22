import CaptureProtocol
import Delivery
import Foundation
import Logging
import Models
import ObjectStorage
import Persistence
import Synchronization
import TestSupport
import Testing

@testable import UploadSync

@Suite("Objects of withdrawn captures", .sharedSchema("withdrawals"))
struct WithdrawnObjectsTests {
    /// The withdrawals in memory, and what was noted of them.
    private final class Rows: ErasureRepository {
        struct Note: Equatable {
            let capture: CaptureID
            let found: Int
            let event: EventID?
        }
        private let state: Mutex<(withdrawn: Set<CaptureID>, due: [CaptureID], notes: [Note])>
        private let bodies: [CaptureID: UUID]
        init(_ withdrawn: [CaptureID], bodies: [CaptureID: UUID] = [:]) {
            state = Mutex((Set(withdrawn), withdrawn, []))
            self.bodies = bodies
        }

        var notes: [Note] { state.withLock { $0.notes } }
        func isWithdrawn(_ capture: CaptureID) async throws -> Bool { state.withLock { $0.withdrawn.contains(capture) } }
        func due(limit: Int) async throws -> [CaptureID] {
            state.withLock { state in
                defer { state.due.removeFirst(min(limit, state.due.count)) }
                return Array(state.due.prefix(limit))
            }
        }
        func note(_ capture: CaptureID, _ look: ErasureLook, found: Int, answering context: MessageContext?) async throws {
            state.withLock { $0.notes.append(Note(capture: capture, found: found, event: context?.eventID)) }
        }
        func begin(_ capture: CaptureID) async throws -> ErasureLook {
            ErasureLook(uploads: bodies[capture].map { [$0] } ?? [], version: "")
        }
        func measure() async throws -> (open: Int64, seconds: Double) { (0, 0) }
    }

    private let storage = MemoryObjectStore(pageSize: 2)
    private let withdrawn = CaptureID()
    private let other = CaptureID()

    private func objects(_ rows: any ErasureRepository) -> WithdrawnObjects {
        WithdrawnObjects(rows: rows, storage: storage, logger: Logger(label: "tests"))
    }

    private func context(_ event: EventID = EventID()) -> MessageContext {
        MessageContext(eventID: event, topic: .captureWithdrawn, logger: Logger(label: "tests"))
    }

    private func store(_ capture: CaptureID) async throws {
        for name in ["original.jpg", "depth.gz", "metadata.json", "og-1.jpg", "c2pa-2.jpg"] {
            try await storage.put("captures/\(capture)/\(name)", bytes: [1], contentType: "image/jpeg")
        }
        try await storage.put("incoming/\(capture)/photo", bytes: [1], contentType: "image/jpeg")
        storage.leaveUnfinished("captures/\(capture)/original.jpg")
    }

    @Test("are deleted, unfinished uploads included, and no other's are; again finds nothing")
    func deleted() async throws {
        for capture in [withdrawn, other] { try await store(capture) }
        let body = UUID()
        try await storage.put("incoming/\(body.uuidString.lowercased())/body/0-1", bytes: [1], contentType: "application/octet-stream")
        let rows = Rows([withdrawn], bodies: [withdrawn: body])
        let event = EventID()
        let handler = EraseWithdrawn(objects: objects(rows))
        try await handler.handle(CaptureWithdrawn(captureID: withdrawn), context(event))
        #expect(storage.keys.count == 6 && storage.keys.allSatisfy { $0.contains(other.description) })
        #expect(try await storage.unfinishedUploads(under: "").map(\.key) == ["captures/\(other)/original.jpg"])
        let again = EventID()
        try await handler.handle(CaptureWithdrawn(captureID: withdrawn), context(again))
        #expect(rows.notes == [.init(capture: withdrawn, found: 8, event: event), .init(capture: withdrawn, found: 0, event: again)])
    }

    @Test("stay if PostgreSQL does not say that the capture is withdrawn, whatever the record says")
    func forged() async throws {
        try await store(other)
        let rows = Rows([withdrawn])
        await #expect(throws: RejectedMessage.self) {
            try await EraseWithdrawn(objects: objects(rows)).handle(CaptureWithdrawn(captureID: other), context())
        }
        #expect(storage.keys.count == 6 && rows.notes.isEmpty)
    }

    @Test("are deleted without a record too, and one capture that fails does not hold up the others")
    func due() async throws {
        for capture in [withdrawn, other] { try await store(capture) }
        storage.refuse { [withdrawn] request in
            request.verb == .delete && request.key.contains(withdrawn.description) ? .unavailable : nil
        }
        let rows = Rows([withdrawn, other])
        try await objects(rows).eraseDue()
        #expect(rows.notes == [.init(capture: other, found: 7, event: nil)])
        #expect(storage.keys.allSatisfy { $0.contains(withdrawn.description) })
    }

    @Test(
        "are deleted that a service stored after the last look",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func late() async throws {
        let pool = try #require(TestSchema.shared)
        let capture = try await StoredCapture(in: pool).id
        _ = try await pool.query("SELECT rial_withdraw(\(capture.uuid))")
        _ = try await pool.query(
            """
            UPDATE withdrawals SET erased_at = now(), erase_next_at = now() + interval '10 minutes' WHERE capture_id = \(capture.uuid)
            """)
        try await store(capture)
        _ = try await pool.query("INSERT INTO depth_analyses (capture_id, result) VALUES (\(capture.uuid), '{}')")
        try await objects(PostgresErasureRepository(database: pool, inbox: Inbox(.uploadSync))).eraseDue()
        #expect(storage.keys.isEmpty)
    }

    @Test(
        "are looked for again if one came behind the last look, before that was noted",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func behind() async throws {
        let pool = try #require(TestSchema.shared)
        let capture = try await StoredCapture(in: pool).id
        let rows = PostgresErasureRepository(database: pool, inbox: Inbox(.uploadSync))
        _ = try await pool.query("SELECT rial_withdraw(\(capture.uuid))")
        _ = try await pool.query(
            """
            UPDATE withdrawals SET withdrawn_at = now() - interval '2 hours', erase_next_at = now() + interval '10 minutes'
            WHERE capture_id = \(capture.uuid)
            """)
        let look = try await rows.begin(capture)
        _ = try await pool.query("SELECT rial_objects_came_late(\(capture.uuid))")
        let event = EventID()
        try await rows.note(capture, look, found: 0, answering: context(event))
        #expect(try await pool.query("SELECT FROM upload_sync_inbox WHERE event_id = \(event.uuid)").count == 1)
        #expect(try await rows.due(limit: 1000).contains(capture))
        let next = try await rows.begin(capture)
        #expect(next.version != look.version)
        try await rows.note(capture, next, found: 0, answering: nil)
        #expect(try await pool.query("SELECT FROM withdrawals WHERE capture_id = \(capture.uuid) AND erased_at IS NOT NULL").count == 1)
    }

    @Test(
        "are looked for at growing distances, until nothing was found for an hour, and then every day to every thirty days",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func schedule() async throws {
        let pool = try #require(TestSchema.shared)
        let capture = try await StoredCapture(in: pool).id
        let rows = PostgresErasureRepository(database: pool, inbox: Inbox(.uploadSync))
        #expect(try await !rows.isWithdrawn(capture))
        _ = try await pool.query("SELECT rial_withdraw(\(capture.uuid))")
        #expect(try await rows.isWithdrawn(capture))
        #expect(try await rows.due(limit: 1000).contains(capture))
        #expect(try await !rows.due(limit: 1000).contains(capture))
        /// Seconds until the next look, and whether the capture counts as erased.
        func next() async throws -> (seconds: Double, isErased: Bool) {
            let row = try #require(
                try await pool.query(
                    """
                    SELECT extract(epoch FROM erase_next_at - now())::float8 AS seconds, erased_at IS NOT NULL AS erased
                    FROM withdrawals WHERE capture_id = \(capture.uuid)
                    """
                ).first)
            return (try row.get("seconds", as: Double.self), try row.get("erased", as: Bool.self))
        }
        func age(minutes: Int) async throws {
            _ = try await pool.query(
                """
                UPDATE withdrawals SET withdrawn_at = now() - make_interval(mins => \(minutes)::int), found_at = NULL
                WHERE capture_id = \(capture.uuid)
                """)
        }
        func note(found: Int, answering context: MessageContext? = nil) async throws {
            try await rows.note(capture, rows.begin(capture), found: found, answering: context)
        }
        let event = EventID()
        try await note(found: 3, answering: context(event))
        #expect(try await pool.query("SELECT FROM upload_sync_inbox WHERE event_id = \(event.uuid)").count == 1)
        #expect((1...5).contains(try await next().seconds))
        let day = 24.0 * 60
        for (minutes, looksIn, isErased) in [
            (2, 1.0...2.02, false), (59, 9...10, false), (61, day - 1...day, true), (3 * 1440, 3 * day - 1...3 * day + 1, true),
            (90 * 1440, 30 * day - 1...30 * day, true),
        ] {
            try await age(minutes: minutes)
            try await note(found: 0)
            let found = try await next()
            #expect(looksIn.contains(found.seconds / 60) && found.isErased == isErased, "after \(minutes) minutes: \(found)")
        }
        let before = try await rows.measure()
        func setBack(hours: Int) async throws {
            _ = try await pool.query(
                """
                UPDATE withdrawals SET erase_next_at = now(), opened_at = now() - make_interval(hours => \(hours)::int)
                WHERE capture_id = \(capture.uuid)
                """)
        }
        try await setBack(hours: 24 * 365)
        #expect(try await rows.due(limit: 1000).contains(capture), "what is erased is looked at again")
        // What came even later opens it again, but is not late itself.
        try await note(found: 1)
        let reopened = try await next()
        #expect(!reopened.isErased && (1...5).contains(reopened.seconds))
        let after = try await rows.measure()
        #expect(after.open == before.open + 1 && after.seconds < before.seconds + 600)
        // What is found again and again is late.
        try await setBack(hours: 24 * 365)
        try await note(found: 1)
        #expect(try await rows.measure().seconds > 360 * 86_400)
    }
}
