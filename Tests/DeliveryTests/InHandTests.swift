import CaptureProtocol
import Models
import Persistence
import Testing
import TestSupport

@testable import Delivery
@testable import ServiceRuntime

@Suite("Records in hand", .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
struct InHandTests {
    private static let inHand = InHand(service: .depthAnalyzer)

    @Test("each time a record comes again without having been settled, a process has died over it")
    func deaths() async throws {
        try await TestSchema.withPools(prefix: "pipeline") { pools in
            let event = EventID()
            for deaths in 0...InHand.maximumDeaths {
                let known = try await Self.inHand.take(event, consumer: .captureReceived, pools[0])
                #expect(known == deaths)
            }
            let elsewhere = try await Self.inHand.take(event, consumer: .mediaSynced, pools[0])
            #expect(elsewhere == 0)
        }
    }

    @Test("an orderly end is no death, and what was handled leaves nothing")
    func settled() async throws {
        try await TestSchema.withPools(prefix: "pipeline") { pools in
            let pool = pools[0]
            let (laidDown, handled, givenUp) = (EventID(), EventID(), EventID())
            for event in [laidDown, handled, givenUp] { _ = try await Self.inHand.take(event, consumer: .captureReceived, pool) }
            try await Self.inHand.release(laidDown, consumer: .captureReceived, pool)
            let deaths = try await Self.inHand.take(laidDown, consumer: .captureReceived, pool)
            #expect(deaths == 0)
            try await pool.withTransaction { connection in
                let isAccepted = try await Inbox(.depthAnalyzer).accept(handled, consumer: .captureReceived, on: connection)
                #expect(isAccepted)
                try await Self.inHand.settle(givenUp, consumer: .captureReceived, on: connection)
            }
            let left = try await pool.query("SELECT event_id::text AS id FROM depth_analyzer_in_hand").map {
                try $0.get("id", as: String.self)
            }
            #expect(left == [laidDown.description])
        }
    }

    @Test("a service whose role may only read is not ready", arguments: ServiceName.allCases)
    func heartbeat(service: ServiceName) async throws {
        try await TestSchema.with(prefix: "pipeline") { schema in
            try await Migrator.bundled().migrate(url: schema.url, logger: .init(label: "tests"))
            try await Heartbeat(service, url: schema.url, logger: .init(label: "tests")).beat()
            let readOnly = schema.url + "%20-cdefault_transaction_read_only%3Don"
            let beating = Heartbeat(service, url: readOnly, logger: .init(label: "tests"))
            await #expect { try await beating.beat() } throws: { ($0 as? PostgresError)?.sqlState == "25006" }
        }
    }
}
