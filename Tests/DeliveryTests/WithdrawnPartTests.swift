import CaptureProtocol
import Logging
import Models
import Persistence
import TestSupport
import Testing

@testable import Delivery

@Suite("Parts of withdrawn captures", .sharedSchema("withdrawn"))
struct WithdrawnPartTests {
    private struct Work: PartWork {
        typealias Part = DepthAnalyzed
        let run: @Sendable () async throws -> Void

        func compute(_ announcement: CaptureAnnouncement) async throws -> DepthFindings {
            try await run()
            return WithdrawnPartTests.findings
        }
    }

    private static let findings = DepthFindings(measurements: nil, unavailableReason: .noDepth, preview: nil)
    private let capture = StoredCapture.announcement(CaptureID(), by: DeviceID())

    private func context(_ event: EventID = EventID()) -> MessageContext {
        MessageContext(eventID: event, topic: .captureReceived, logger: Logger(label: "tests"))
    }

    @Test("there is nothing to do for one that is withdrawn, and its event is done with")
    func before() async throws {
        let parts = MemoryPartRepository<DepthAnalyzed, DepthFindings>([capture])
        parts.set(.withdrawn, of: capture.captureID)
        let event = EventID()
        let work = Work { Issue.record("nothing is computed") }
        try await PartHandler(work, parts: parts).handle(CaptureReceived(captureID: capture.captureID, kind: .photo), context(event))
        #expect(parts.announced.isEmpty && parts.findings(capture.captureID) == nil && parts.hasAnswered(event))
    }

    @Test("one that is withdrawn while it is in hand is no failure, though its objects are missing", arguments: [true, false])
    func during(isRejected: Bool) async throws {
        let parts = MemoryPartRepository<DepthAnalyzed, DepthFindings>([capture])
        let id = capture.captureID
        let event = EventID()
        let work = Work {
            parts.set(.withdrawn, of: id)
            if isRejected { throw RejectedMessage(.originalMissing) }
        }
        try await PartHandler(work, parts: parts).handle(CaptureReceived(captureID: id, kind: .photo), context(event))
        #expect(parts.findings(id) == nil && parts.failure(id) == nil && parts.hasAnswered(event))
    }

    @Test("a rejection of any other capture stays one")
    func rejected() async throws {
        let parts = MemoryPartRepository<DepthAnalyzed, DepthFindings>([capture])
        let work = Work { throw RejectedMessage(.originalMissing) }
        await #expect(throws: RejectedMessage.self) {
            try await PartHandler(work, parts: parts).handle(CaptureReceived(captureID: capture.captureID, kind: .photo), context())
        }
    }

    @Test(
        "PostgreSQL keeps nothing of it: no findings, no failure, no announcement",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func stored() async throws {
        let pool = try #require(TestSchema.shared)
        let capture = try await StoredCapture(in: pool)
        let parts = PostgresPartRepository<DepthAnalyzed, DepthFindings>(.depthAnalyzer, database: pool)
        _ = try #require(try await parts.find(capture.id))
        _ = try await pool.query("SELECT rial_withdraw(\(capture.id.uuid))")
        await #expect(throws: WithdrawnCapture.self) { try await parts.find(capture.id) }
        _ = try await parts.save(Self.findings, of: capture.announcement, replacing: true, answering: context())
        try await pool.withTransaction { try await parts.giveUp(capture.id, reason: .digestMismatch, on: $0) }
        let event = EventID()
        try await parts.pass(over: context(event), of: capture.id)
        #expect(try await pool.query("SELECT FROM depth_analyses WHERE capture_id = \(capture.id.uuid)").isEmpty)
        let failed = try await pool.query(
            "SELECT value FROM depth_analyzer_outbox WHERE record_key = \(capture.id.description)"
        ).map { try WireJSON.decode(DepthAnalyzed.self, from: try $0.get("value", as: [UInt8].self)) }
        #expect(!failed.contains { $0.outcome == .error })
        #expect(try await pool.query("SELECT FROM depth_analyzer_inbox WHERE event_id = \(event.uuid)").count == 1)
    }

    @Test(
        "its objects are looked for again, though another instance has passed over the event meanwhile",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func late() async throws {
        let pool = try #require(TestSchema.shared)
        let capture = try await StoredCapture(in: pool)
        let parts = PostgresPartRepository<DepthAnalyzed, DepthFindings>(.depthAnalyzer, database: pool)
        let event = EventID()
        _ = try await pool.query("SELECT rial_withdraw(\(capture.id.uuid))")
        func isLookedFor() async throws -> Bool {
            let due = try await pool.query(
                "SELECT FROM withdrawals WHERE capture_id = \(capture.id.uuid) AND erased_at IS NULL AND erase_next_at <= now()")
            return !due.isEmpty
        }
        func erase() async throws {
            _ = try await pool.query(
                "UPDATE withdrawals SET erased_at = now(), erase_next_at = now() + interval '1 hour' WHERE capture_id = \(capture.id.uuid)")
            #expect(try await !isLookedFor())
        }
        try await erase()
        try await parts.pass(over: context(event), of: capture.id)
        #expect(try await isLookedFor())
        try await erase()
        let kept = try await parts.save(Self.findings, of: capture.announcement, replacing: false, answering: context(event))
        #expect(kept == nil)
        #expect(try await isLookedFor())
        try await erase()
        try await parts.announceAgain(capture.id, answering: context(event))
        #expect(try await isLookedFor())
    }
}
