import CoreMetrics
import Foundation
import Logging
import MetricsTestKit
import Models
import Persistence
import TestSupport
import Testing

@testable import ServiceRuntime

@Suite("Heartbeat", .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
struct HeartbeatTests {
    @Test("a service whose role may only read is not ready")
    func heartbeat() async throws {
        let logger = Logger(label: "tests")
        try await TestSchema.with(prefix: "heartbeat") { schema in
            try await Migrator.bundled().migrate(url: schema.url, logger: logger)
            let readOnly = schema.url + "%20-cdefault_transaction_read_only%3Don"
            for service in ServiceName.allCases {
                try await Heartbeat(service, url: schema.url, logger: logger).beat()
                let beating = Heartbeat(service, url: readOnly, logger: logger)
                await #expect { try await beating.beat() } throws: { ($0 as? PostgresError)?.sqlState == "25006" }
            }
        }
    }
    @Test("a beat says how far the database's clock is from this host's", arguments: [-180.0, 0, 180])
    func offset(seconds: Double) async throws {
        let metrics = TestMetrics()
        try await TestSchema.with(prefix: "heartbeat") { schema in
            try await Migrator.bundled().migrate(url: schema.url, logger: Logger(label: "tests"))
            // The host of the tests has one clock with the database, or nearly so.
            let heartbeat = Heartbeat(.gateway, url: schema.url, logger: Logger(label: "tests")) { Date().addingTimeInterval(-seconds) }
            try await withMetricsFactory(metrics) { try await heartbeat.beat() }
        }
        let offset = try #require(try metrics.expectMeter("rial_clock_offset_seconds").lastValue)
        #expect(abs(offset - seconds) < 20)
    }
}
