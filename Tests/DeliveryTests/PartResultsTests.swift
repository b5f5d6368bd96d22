import CaptureProtocol
import Foundation
import Logging
import Models
import Persistence
import Testing
import TestSupport

@testable import Delivery

@Suite("What a service keeps of its answers", .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
struct PartResultsTests {
    private static let results = PartResults<DepthAnalyzed>()
    private static func findings(_ reason: DepthReason) -> DepthFindings {
        DepthFindings(measurements: nil, unavailableReason: reason, preview: nil)
    }

    private static func events(_ pool: PostgresPool) async throws -> [String] {
        try await pool.query("SELECT convert_from(value, 'UTF8') AS text FROM depth_analyzer_outbox ORDER BY id").map { try $0.get("text") }
    }

    @Test("the announcement comes from the capture's row, and nothing from one that nobody accepted")
    func announcement() async throws {
        try await StoredCapture.with { capture, pool in
            try await pool.withConnection { connection in
                let found = try #require(try await Self.results.find(capture.id, on: connection))
                #expect(found.announcement == capture.announcement)
                #expect(found.stored == nil)
                #expect(try await Self.results.find(CaptureID(), on: connection) == nil)
            }
        }
    }

    @Test("the first findings stand")
    func firstStands() async throws {
        try await StoredCapture.with { capture, pool in
            try await pool.withConnection { connection in
                let first = try await Self.results.save(Self.findings(.noDepth), for: capture.id, on: connection)
                let second = try await Self.results.save(Self.findings(.noLiDAR), for: capture.id, on: connection)
                let isFailed = try await Self.results.fail(capture.id, reason: .digestMismatch, on: connection)
                let stored = try await Self.results.find(capture.id, on: connection)?.stored
                #expect([first, second, stored] == [Self.findings(.noDepth), Self.findings(.noDepth), Self.findings(.noDepth)])
                #expect(!isFailed)
            }
        }
    }

    @Test("findings replace a failure, and an unknown capture has neither")
    func failure() async throws {
        try await StoredCapture.with { capture, pool in
            let publisher = PartPublisher<DepthAnalyzed>(.depthAnalyzer, database: pool)
            try await pool.withTransaction { connection in
                try await publisher.giveUp(capture.id, reason: .digestMismatch, on: connection)
                try await publisher.giveUp(CaptureID(), reason: .digestMismatch, on: connection)
            }
            let failures = try await pool.query("SELECT failure FROM depth_analyses").map { try $0.get("failure", as: String.self) }
            #expect(failures == ["digest_mismatch"])
            #expect(
                try await Self.events(pool)
                    == [#"{"capture_id":"\#(capture.id)","outcome":"error","reason":"digest_mismatch"}"#])
            try await pool.withConnection { connection in
                #expect(try await Self.results.find(capture.id, on: connection)?.stored == nil)
                try await Self.results.save(Self.findings(.noDepth), for: capture.id, on: connection)
                #expect(try await Self.results.find(capture.id, on: connection)?.stored == Self.findings(.noDepth))
            }
            #expect(try await pool.query("SELECT FROM depth_analyses WHERE failure IS NOT NULL").isEmpty)
        }
    }

    @Test("a capture answered before is announced again, once an event; one that nobody accepted is refused")
    func again() async throws {
        try await StoredCapture.with { capture, pool in
            let publisher = PartPublisher<DepthAnalyzed>(.depthAnalyzer, database: pool)
            let context = { MessageContext(eventID: EventID(), topic: .captureReceived, logger: Logger(label: "tests")) }
            let first = context()
            #expect(try await publisher.begin(capture.id, answering: first)?.announcement == capture.announcement)
            let stored = try await publisher.publish(capture.id, answering: first) { connection in
                try await Self.results.save(Self.findings(.noDepth), for: capture.id, on: connection)
            }
            #expect(stored == Self.findings(.noDepth))
            let second = context()
            for _ in 0..<2 { #expect(try await publisher.begin(capture.id, answering: second) == nil) }
            let done = #"{"capture_id":"\#(capture.id)","outcome":"done"}"#
            #expect(try await Self.events(pool) == [done, done])
            await #expect { try await publisher.begin(CaptureID(), answering: context()) } throws: {
                ($0 as? RejectedMessage)?.reason == .captureUnknown
            }
        }
    }
}
