import CaptureProtocol
import Delivery
import Foundation
import Logging
import Models
import Persistence
import TestSupport
import Testing

@testable import UploadSync

@Suite(
    "Captures that stay in processing, in PostgreSQL", .sharedSchema("stuck"),
    .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
struct StuckCapturesTests {
    @Test("are as old as the oldest of them, however often it was announced")
    func oldest() async throws {
        let database = try #require(TestSchema.shared)
        let captures = StuckCaptures(
            database: database, outbox: Outbox(.uploadSync), after: .seconds(60), logger: Logger(label: "tests"))
        let none = try await captures.oldestSeconds()
        #expect(none == 0)

        let old = try await StoredCapture(in: database).id
        let young = try await StoredCapture(in: database).id
        for (id, minutes) in [(old, 40), (young, 10)] {
            _ = try await database.query(
                "UPDATE captures SET uploaded_at = now() - make_interval(mins => \(minutes)::int) WHERE id = \(id.uuid)")
        }
        try await captures.announce()
        let both = try await captures.oldestSeconds()
        #expect(both >= 2400 && both < 2700)

        _ = try await database.query("UPDATE captures SET status = 'failed' WHERE id = \(old.uuid)")
        let one = try await captures.oldestSeconds()
        #expect(one >= 600 && one < 900)
    }
}
