import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence

@testable import Gateway

/// The repositories over PostgreSQL.
struct PostgresRig: GatewayRig {
    let database: PostgresPool
    /// Another gateway's.
    let other: PostgresPool

    init(pools: [PostgresPool]) { (database, other) = (pools[0], pools[1]) }

    var captures: any CaptureRepository { PostgresCaptureRepository(database: database, outbox: Outbox(.gateway)) }
    var intakes: any IntakeRepository { PostgresIntakeRepository(database: database) }

    func insertDevice() async throws -> DeviceID { try await CaptureRepositoryTests.insertDevice(database) }

    func fail(_ capture: CaptureID) async throws {
        _ = try await database.query("UPDATE captures SET status = 'failed', failure = 'x' WHERE id = \(capture.uuid)")
    }

    func answer(_ part: EvidencePart, of capture: CaptureID, isGivenUp: Bool) async throws {
        _ = try await database.query(
            """
            INSERT INTO evidence_parts (capture_id, part, outcome, reason, result)
            VALUES (\(capture.uuid), \(part.rawValue), \(isGivenUp ? "error" : "done"), \(isGivenUp ? "x" : nil), \(isGivenUp ? nil : "{}")::jsonb)
            """)
    }

    func captureIDs() async throws -> Set<CaptureID> { try await ids("SELECT id FROM captures") }

    func announced() async throws -> [String] {
        try await database.query("SELECT record_key FROM gateway_outbox ORDER BY id").map { try $0.get("record_key") }
    }

    func intakeIDs() async throws -> Set<CaptureID> { try await ids("SELECT id FROM intakes") }

    func brought(by upload: CaptureID) async throws -> CaptureID? {
        let rows = try await database.query("SELECT brings FROM intakes WHERE id = \(upload.uuid)")
        return try rows.first?.getOptional("brings", as: UUID.self).map { CaptureID($0) }
    }

    func close() async { await database.shutdown() }

    private func ids(_ statement: SQL) async throws -> Set<CaptureID> {
        Set(try await database.query(statement).map { CaptureID(try $0.get("id", as: UUID.self)) })
    }

    func buckets(atMost rows: Int) -> any TokenBuckets { PostgresTokenBuckets(database: database, maximumRows: rows) }
    var otherBuckets: any TokenBuckets { PostgresTokenBuckets(database: other) }

    func ageBuckets(by seconds: Double) async throws {
        _ = try await database.query("UPDATE rate_limits SET updated_at = updated_at - \(seconds)::float8 * interval '1 second'")
    }

    func bucketNames() async throws -> Set<String> {
        Set(try await database.query("SELECT bucket FROM rate_limits").map { try $0.get("bucket", as: String.self) })
    }
}
