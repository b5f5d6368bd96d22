import CaptureProtocol
import Logging
import Models
import Persistence
import TestSupport
import Testing

@testable import Delivery

@Suite("What a service keeps of its answers, in memory and in PostgreSQL", .sharedSchema("parts"))
struct PartRepositoryTests {
    /// A repository, and an accepted capture.
    private struct Subject: Sendable {
        let parts: any PartRepository<DepthAnalyzed, DepthFindings>
        let capture: CaptureAnnouncement
        let giveUp: @Sendable (CaptureID, FailureReason) async throws -> Void
        let announced: @Sendable () async throws -> [DepthAnalyzed]
        /// Sets the status, as the assembler does.
        let set: @Sendable (CaptureStatus) async throws -> Void

        func save(_ findings: DepthFindings, replacing: Bool = false, event: EventID = EventID()) async throws -> DepthFindings? {
            try await parts.save(findings, of: capture, replacing: replacing, answering: context(event))
        }

        func context(_ event: EventID) -> MessageContext {
            MessageContext(eventID: event, topic: .captureReceived, logger: Logger(label: "tests"))
        }
    }

    private func with(_ kind: StoreKind, _ body: @escaping @Sendable (Subject) async throws -> Void) async throws {
        switch kind {
        case .memory:
            let capture = StoredCapture.announcement(CaptureID(), by: DeviceID())
            let parts = MemoryPartRepository<DepthAnalyzed, DepthFindings>([capture])
            try await body(
                Subject(
                    parts: parts, capture: capture,
                    giveUp: { capture, reason in
                        let transaction = MemoryTransaction()
                        try await parts.giveUp(capture, reason: reason, on: transaction)
                        transaction.commit()
                    }, announced: { parts.announced }, set: { parts.set($0, of: capture.captureID) }))
        case .postgres:
            let pool = try #require(TestSchema.shared)
            let capture = try await StoredCapture(in: pool)
            let parts = PostgresPartRepository<DepthAnalyzed, DepthFindings>(.depthAnalyzer, database: pool)
            try await body(
                Subject(
                    parts: parts, capture: capture.announcement,
                    giveUp: { capture, reason in
                        try await pool.withTransaction { try await parts.giveUp(capture, reason: reason, on: $0) }
                    },
                    announced: {
                        try await pool.query(
                            "SELECT value FROM depth_analyzer_outbox WHERE record_key = \("\(capture.id)") ORDER BY id"
                        ).map { try WireJSON.decode(DepthAnalyzed.self, from: try $0.get("value", as: [UInt8].self)) }
                    },
                    set: { status in
                        let isComplete = status == .complete
                        _ = try await pool.query(
                            """
                            UPDATE captures SET status = \(status.rawValue), evidence = CASE WHEN \(isComplete) THEN '{}'::jsonb END,
                                confidence_level = CASE WHEN \(isComplete) THEN 'high' END WHERE id = \(capture.id.uuid)
                            """)
                    }))
        }
    }

    private static func findings(_ reason: DepthReason) -> DepthFindings {
        DepthFindings(measurements: nil, unavailableReason: reason, preview: nil)
    }

    @Test("the announcement comes from the capture's row, and nothing from one that nobody accepted", arguments: StoreKind.available)
    func announcement(kind: StoreKind) async throws {
        try await with(kind) { subject in
            let found = try #require(try await subject.parts.find(subject.capture.captureID))
            #expect(found.announcement == subject.capture && found.stored == nil && found.status == .processing)
            #expect(try await subject.parts.find(CaptureID()) == nil)
        }
    }

    @Test(
        "an announcement that is not of the capture, the device or the kind of its row is rejected",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"),
        arguments: [
            "type = 'video'", "announcement = announcement || jsonb_build_object('capture_id', gen_random_uuid())",
            "announcement = announcement || jsonb_build_object('device_id', gen_random_uuid())",
        ])
    func otherRow(change: String) async throws {
        let pool = try #require(TestSchema.shared)
        let capture = try await StoredCapture(in: pool)
        let parts = PostgresPartRepository<DepthAnalyzed, DepthFindings>(.depthAnalyzer, database: pool)
        #expect(try await parts.find(capture.id)?.announcement == capture.announcement)
        _ = try await pool.query("UPDATE captures SET \(unescaped: change) WHERE id = \(capture.id.uuid)")
        #expect(await rejection { _ = try await parts.find(capture.id) } == .captureUnreadable)
    }

    @Test("the first findings stand, and each event is announced once", arguments: StoreKind.available)
    func firstStands(kind: StoreKind) async throws {
        try await with(kind) { subject in
            let id = subject.capture.captureID
            let event = EventID()
            #expect(try await subject.save(Self.findings(.noDepth), event: event) == Self.findings(.noDepth))
            #expect(try await subject.save(Self.findings(.noLiDAR), event: event) == nil)
            #expect(try await subject.save(Self.findings(.noLiDAR)) == Self.findings(.noDepth))
            try await subject.giveUp(id, .digestMismatch)
            #expect(try await subject.parts.find(id)?.stored == Self.findings(.noDepth))
            #expect(try await subject.announced() == [.done(id), .done(id)])
        }
    }

    @Test("findings that are made anew replace others until the capture is complete", arguments: StoreKind.available)
    func replaced(kind: StoreKind) async throws {
        try await with(kind) { subject in
            let id = subject.capture.captureID
            _ = try await subject.save(Self.findings(.noDepth))
            try await subject.set(.failed)
            #expect(try await subject.save(Self.findings(.noLiDAR), replacing: true) == Self.findings(.noLiDAR))
            #expect(try await subject.parts.find(id)?.status == .failed)
            try await subject.set(.complete)
            #expect(try await subject.save(Self.findings(.noDepth), replacing: true) == Self.findings(.noLiDAR))
            #expect(try await subject.parts.find(id)?.stored == Self.findings(.noLiDAR))
        }
    }

    @Test("what is kept is announced again, once an event", arguments: StoreKind.available)
    func again(kind: StoreKind) async throws {
        try await with(kind) { subject in
            let id = subject.capture.captureID
            _ = try await subject.save(Self.findings(.noDepth))
            let event = EventID()
            for _ in 0..<2 { try await subject.parts.announceAgain(id, answering: subject.context(event)) }
            #expect(try await subject.announced() == [.done(id), .done(id)])
        }
    }

    @Test("findings replace a failure, and an unknown capture has neither", arguments: StoreKind.available)
    func failure(kind: StoreKind) async throws {
        try await with(kind) { subject in
            let id = subject.capture.captureID
            try await subject.giveUp(id, .digestMismatch)
            try await subject.giveUp(CaptureID(), .digestMismatch)
            #expect(try await subject.announced() == [.failed(id, reason: .digestMismatch)])
            #expect(try await subject.parts.find(id)?.stored == nil)
            _ = try await subject.save(Self.findings(.noDepth))
            #expect(try await subject.parts.find(id)?.stored == Self.findings(.noDepth))
            #expect(try await subject.announced() == [.failed(id, reason: .digestMismatch), .done(id)])
        }
    }

    @Test(
        "a failure is kept beside the findings' place, and goes with them",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func failureRow() async throws {
        let pool = try #require(TestSchema.shared)
        let capture = try await StoredCapture(in: pool)
        let parts = PostgresPartRepository<DepthAnalyzed, DepthFindings>(.depthAnalyzer, database: pool)
        let failures = { @Sendable in
            try await pool.query("SELECT failure FROM depth_analyses WHERE capture_id = \(capture.id.uuid)").map {
                try $0.getOptional("failure", as: String.self)
            }
        }
        try await pool.withTransaction { try await parts.giveUp(capture.id, reason: .digestMismatch, on: $0) }
        #expect(try await failures() == ["digest_mismatch"])
        let context = MessageContext(eventID: EventID(), topic: .captureReceived, logger: Logger(label: "tests"))
        _ = try await parts.save(Self.findings(.noDepth), of: capture.announcement, replacing: false, answering: context)
        #expect(try await failures() == [nil])
    }
}
