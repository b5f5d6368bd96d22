import Models
import Persistence

/// A part as it stands in `evidence_parts`.
struct StoredPart: Sendable {
    let part: EvidencePart
    /// Present if the part is done.
    let result: PostgresJSON?
    /// Present if the service gave up.
    let reason: String?
}

/// What each service answered for each capture.
struct EvidencePartRepository {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// A `done` replaces an `error`, and nothing replaces a `done`.
    func save(_ received: ReceivedPart) async throws {
        try await connection.query(
            """
            INSERT INTO evidence_parts (capture_id, part, outcome, reason, result)
            VALUES (\(received.captureID.uuid), \(received.part.rawValue), \(received.outcome.rawValue), \(received.reason),
                \(received.result))
            ON CONFLICT (capture_id, part) DO UPDATE SET outcome = EXCLUDED.outcome, reason = EXCLUDED.reason,
                result = EXCLUDED.result, received_at = now()
            WHERE evidence_parts.outcome = 'error'
            """)
    }

    func all(of capture: CaptureID) async throws -> [StoredPart] {
        let rows = try await connection.query(
            """
            SELECT part, reason, result FROM evidence_parts WHERE capture_id = \(capture.uuid) ORDER BY part
            """)
        return try rows.compactMap { row in
            guard let part = EvidencePart(rawValue: try row.get("part")) else { return nil }
            return StoredPart(part: part, result: try row.getOptional("result"), reason: try row.getOptional("reason"))
        }
    }
}
