import CaptureProtocol
import Delivery
import Models
import Observability
import Persistence

extension PostgresPartRepository<AttestationAppraised, AppraisedCapture> {
    /// Appraisals of captures. Counters are consumed in the transaction that saves the findings.
    static func appraisals(_ database: PostgresPool) -> Self {
        Self(.attestationVerifier, database: database) { appraised, announcement, results, connection in
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

/// The assertion counters: each (device, counter) pair is valid for one capture only (SPEC §2).
private struct CounterTable {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// Consumes the counter for the capture in the current transaction. Of two concurrent calls the second waits for the first and is then
    /// a replay.
    func consume(_ counter: UInt32, device: DeviceID, capture: CaptureID) async throws -> CounterUse {
        let rows = try await connection.query(
            """
            INSERT INTO assertion_counters (device_id, counter, capture_id)
            VALUES (\(device.uuid), \(Int64(counter)), \(capture.uuid))
            ON CONFLICT DO NOTHING RETURNING counter
            """)
        if rows.isEmpty {
            let owners = try await connection.query(
                """
                SELECT capture_id::text FROM assertion_counters WHERE device_id = \(device.uuid) AND counter = \(Int64(counter))
                """)
            guard try owners.first?.get("capture_id", as: String.self) == capture.description else { return .replayed }
        }
        let higher = try await connection.query(
            """
            SELECT EXISTS (SELECT FROM assertion_counters
                WHERE device_id = \(device.uuid) AND counter > \(Int64(counter))) AS any
            """)
        return .accepted(outOfOrder: try higher.first?.get("any") ?? false)
    }
}
