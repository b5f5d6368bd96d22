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

    /// Takes over what each service has stored: a `done` replaces an `error`, and nothing replaces a `done`.
    /// - Returns: all parts as they stand.
    func gather(_ capture: CaptureID) async throws -> [StoredPart] {
        try await connection.query(
            """
            WITH answers AS (
                SELECT 'attestation' AS part, result, failure FROM attestation_appraisals WHERE capture_id = \(capture.uuid)
                UNION ALL SELECT 'depth', result, failure FROM depth_analyses WHERE capture_id = \(capture.uuid)
                UNION ALL SELECT 'media', result, failure FROM sync_jobs WHERE capture_id = \(capture.uuid))
            INSERT INTO evidence_parts (capture_id, part, outcome, reason, result)
            SELECT \(capture.uuid), part, CASE WHEN result IS NULL THEN 'error' ELSE 'done' END, failure, result
            FROM answers WHERE result IS NOT NULL OR failure IS NOT NULL
            ON CONFLICT (capture_id, part) DO UPDATE SET outcome = EXCLUDED.outcome, reason = EXCLUDED.reason,
                result = EXCLUDED.result, received_at = now()
            WHERE evidence_parts.outcome = 'error'
                AND (EXCLUDED.outcome = 'done' OR EXCLUDED.reason IS DISTINCT FROM evidence_parts.reason)
            """)
        return try await all(of: capture)
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
