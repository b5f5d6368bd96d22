import CaptureProtocol
import Delivery
import Models
import Observability
import Persistence

extension PostgresPartRepository<AttestationAppraised, AppraisedCapture> {
    /// Appraisals of captures. Counters are consumed in the transaction that saves the findings, unless the device was revoked before it.
    static func appraisals(_ database: PostgresPool) -> Self {
        Self(.attestationVerifier, database: database) { appraised, announcement, results, connection in
            guard try await !RevocationTable(connection).holds(appraised.device.id) else {
                return try await results.save(appraised.revoked, for: announcement.captureID, on: connection)
            }
            try appraised.requireReadUnrevoked()
            let uses = try await CounterTable(connection).consume(
                appraised.counters, device: appraised.device.id, capture: announcement.captureID)
            if !uses.isEmpty { FailPoint.reached("attestation-verifier.counter.consumed") }
            return try await results.save(appraised.findings(uses), for: announcement.captureID, on: connection)
        }
    }
}

/// The devices' revocations.
private struct RevocationTable {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// Whether the device is revoked now. Until the transaction ends, nobody revokes or restores it.
    nonisolated(nonsending) func holds(_ device: DeviceID) async throws -> Bool {
        let rows = try await connection.query(
            "SELECT revoked_at IS NOT NULL AS is_revoked FROM devices WHERE id = \(device.uuid) FOR SHARE")
        return try rows.first?.get("is_revoked") ?? false
    }
}

/// The assertion counters: each (device, counter) pair is valid for one capture only (SPEC §2).
private struct CounterTable {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// Consumes the counters for the capture in the current transaction. Of two concurrent calls the second waits for the first, and what
    /// both have is then a replay.
    /// - Parameter counters: in the order in which they were used.
    nonisolated(nonsending) func consume(_ counters: [UInt32], device: DeviceID, capture: CaptureID) async throws -> [CounterUse] {
        guard !counters.isEmpty else { return [] }
        let isLate: SQL = """
            EXISTS (SELECT FROM assertion_counters AS other
                WHERE other.device_id = \(device.uuid) AND other.counter > consumed.counter) AS is_late
            """
        let new = try await connection.query(
            """
            INSERT INTO assertion_counters AS consumed (device_id, counter, capture_id)
            SELECT \(device.uuid), counter, \(capture.uuid) FROM unnest(\(counters.map { Int64($0) })) AS used (counter)
            ON CONFLICT DO NOTHING RETURNING consumed.counter, \(isLate)
            """)
        // The counters that belong to the capture, from now or from an earlier delivery, and whether each is late.
        var own: [UInt32: Bool] = [:]
        for row in new { try own[row.get("counter", as: UInt32.self)] = row.get("is_late", as: Bool.self) }
        let others = Set(counters).subtracting(own.keys)
        if !others.isEmpty {
            let known = try await connection.query(
                """
                SELECT counter, \(isLate) FROM assertion_counters AS consumed
                WHERE device_id = \(device.uuid) AND counter = ANY(\(others.map { Int64($0) })) AND capture_id = \(capture.uuid)
                """)
            for row in known { try own[row.get("counter", as: UInt32.self)] = row.get("is_late", as: Bool.self) }
        }
        return counters.enumerated().map { index, counter in
            guard let isLate = own[counter] else { return .replayed }
            // The statement does not see what it inserts itself.
            return .accepted(outOfOrder: isLate || counters.prefix(index).contains { $0 > counter })
        }
    }
}
