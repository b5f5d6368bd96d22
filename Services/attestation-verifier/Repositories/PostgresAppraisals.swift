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
            var uses: [CounterUse] = []
            for counter in appraised.counters {
                uses.append(
                    try await CounterTable(connection).consume(counter, device: appraised.device.id, capture: announcement.captureID))
                FailPoint.reached("attestation-verifier.counter.consumed")
            }
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

    /// Consumes the counter for the capture in the current transaction. Of two concurrent calls the second waits for the first and is then
    /// a replay.
    nonisolated(nonsending) func consume(_ counter: UInt32, device: DeviceID, capture: CaptureID) async throws -> CounterUse {
        let isLate: SQL =
            "EXISTS (SELECT FROM assertion_counters WHERE device_id = \(device.uuid) AND counter > \(Int64(counter))) AS is_late"
        let new = try await connection.query(
            """
            INSERT INTO assertion_counters (device_id, counter, capture_id)
            VALUES (\(device.uuid), \(Int64(counter)), \(capture.uuid))
            ON CONFLICT DO NOTHING RETURNING \(isLate)
            """)
        if let row = new.first { return .accepted(outOfOrder: try row.get("is_late")) }
        let known = try await connection.query(
            """
            SELECT capture_id::text, \(isLate) FROM assertion_counters
            WHERE device_id = \(device.uuid) AND counter = \(Int64(counter))
            """)
        guard let row = known.first, try row.get("capture_id", as: String.self) == capture.description else { return .replayed }
        return .accepted(outOfOrder: try row.get("is_late"))
    }
}
