import CaptureProtocol
import Delivery
import Foundation
import Logging
import Models
import ObjectStorage
import Persistence
import TestSupport
import Testing

@testable import UploadSync

@Suite("Objects of withdrawn captures", .serialized, .sharedSchema("withdrawals"))
struct WithdrawnObjectsTests {
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
        let rows = MemoryRows()
        rows.withdraw(withdrawn, uploads: [body])
        let event = EventID()
        let handler = EraseWithdrawn(objects: objects(rows.erasures))
        try await handler.handle(CaptureWithdrawn(captureID: withdrawn), context(event))
        #expect(storage.keys.count == 6 && storage.keys.allSatisfy { $0.contains(other.description) })
        #expect(try await storage.unfinishedUploads(under: "").map(\.key) == ["captures/\(other)/original.jpg"])
        let again = EventID()
        try await handler.handle(CaptureWithdrawn(captureID: withdrawn), context(again))
        #expect(rows.now.notes == [.init(capture: withdrawn, found: 8, event: event), .init(capture: withdrawn, found: 0, event: again)])
    }

    @Test("stay if PostgreSQL does not say that the capture is withdrawn, whatever the record says")
    func forged() async throws {
        try await store(other)
        let rows = MemoryRows()
        try await rows.withdraw(withdrawn)
        await #expect(throws: RejectedMessage.self) {
            try await EraseWithdrawn(objects: objects(rows.erasures)).handle(CaptureWithdrawn(captureID: other), context())
        }
        #expect(storage.keys.count == 6 && rows.now.notes.isEmpty)
    }

    @Test("are deleted without a record too, and one capture that fails does not hold up the others")
    func due() async throws {
        for capture in [withdrawn, other] { try await store(capture) }
        storage.refuse { [withdrawn] request in
            request.verb == .delete && request.key.contains(withdrawn.description) ? .unavailable : nil
        }
        let rows = MemoryRows()
        for capture in [withdrawn, other] { try await rows.withdraw(capture) }
        try await objects(rows.erasures).eraseDue()
        #expect(rows.now.notes == [.init(capture: other, found: 7, event: nil)])
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

    @Test("are looked for again if one came behind the last look, before that was noted", arguments: Backend.available)
    func behind(backend: Backend) async throws {
        let rows = try backend.rows()
        let erasures = rows.erasures
        let capture = try await rows.capture(.processing)
        try await rows.withdraw(capture)
        try await rows.age(capture, hours: 2)
        let look = try await erasures.begin(capture)
        try await rows.storeLate(capture)
        let event = EventID()
        try await erasures.note(capture, look, found: 0, answering: context(event))
        #expect(try await rows.isAnswered(event))
        #expect(try await erasures.due(limit: 1000).contains(capture))
        let next = try await erasures.begin(capture)
        #expect(next.version != look.version)
        try await erasures.note(capture, next, found: 0, answering: nil)
        #expect(try await rows.nextLook(capture).isErased)
    }

    @Test(
        "are looked for at growing distances, until nothing was found for an hour, and then every day to every thirty days",
        arguments: Backend.available)
    func schedule(backend: Backend) async throws {
        let rows = try backend.rows()
        let erasures = rows.erasures
        let capture = try await rows.capture(.processing)
        #expect(try await !erasures.isWithdrawn(capture))
        await #expect(throws: RejectedMessage.self) { try await erasures.begin(capture) }
        try await rows.withdraw(capture)
        #expect(try await erasures.isWithdrawn(capture))
        #expect(try await erasures.due(limit: 1000).contains(capture))
        #expect(try await !erasures.due(limit: 1000).contains(capture))
        func note(found: Int, answering context: MessageContext? = nil) async throws {
            try await erasures.note(capture, erasures.begin(capture), found: found, answering: context)
        }
        let event = EventID()
        try await note(found: 3, answering: context(event))
        #expect(try await rows.isAnswered(event))
        #expect((1...5).contains(try await rows.nextLook(capture).seconds))
        let day = 24.0 * 60
        var quiet = 0.0
        for (minutes, looksIn, isErased) in [
            (2, 1.0...2.5, false), (59, 9...10, false), (61, day - 1...day, true), (3 * 1440, 3 * day - 1...3 * day + 1, true),
            (90 * 1440, 30 * day - 1...30 * day, true),
        ] {
            try await rows.age(capture, hours: (Double(minutes) - quiet) / 60)
            quiet = Double(minutes)
            try await note(found: 0)
            let found = try await rows.nextLook(capture)
            #expect(looksIn.contains(found.seconds / 60) && found.isErased == isErased, "after \(minutes) minutes: \(found)")
        }
        let before = try await erasures.measure()
        try await rows.age(capture, hours: 24 * 365)
        #expect(try await erasures.due(limit: 1000).contains(capture), "what is erased is looked at again")
        // What came even later opens it again, but is not late itself.
        try await note(found: 1)
        let reopened = try await rows.nextLook(capture)
        #expect(!reopened.isErased && (1...5).contains(reopened.seconds))
        let after = try await erasures.measure()
        #expect(after.open == before.open + 1 && after.seconds < before.seconds + 600)
        // What is found again and again is late.
        try await rows.age(capture, hours: 24 * 365)
        try await note(found: 1)
        #expect(try await erasures.measure().seconds > 360 * 86_400)
    }
}
