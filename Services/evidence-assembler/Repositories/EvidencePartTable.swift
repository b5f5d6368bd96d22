import CaptureProtocol
import Delivery
import Models
import Persistence

/// Each service's findings about each capture, in one transaction.
struct EvidencePartTable {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// Copies the stored result of one part: `done` replaces `error`. A `done` part is replaced only by new findings about media that were
    /// uploaded again, and only until the capture is final.
    /// - Returns: all current parts.
    nonisolated(nonsending) func take(_ part: EvidencePart, of capture: CaptureID, isFinal: Bool) async throws -> [StoredPart] {
        // One statement: the second SELECT sees the table as it was before the INSERT.
        let rows = try await connection.query(
            """
            WITH taken AS (
                INSERT INTO evidence_parts (capture_id, part, outcome, reason, result)
                SELECT capture_id, \(part.rawValue), CASE WHEN result IS NULL THEN 'error' ELSE 'done' END, failure, result
                FROM \(unescaped: part.table) WHERE capture_id = \(capture.uuid) AND (result IS NOT NULL OR failure IS NOT NULL)
                ON CONFLICT (capture_id, part) DO UPDATE SET outcome = EXCLUDED.outcome, reason = EXCLUDED.reason,
                    result = EXCLUDED.result, received_at = now()
                WHERE evidence_parts.outcome = 'error'
                        AND (EXCLUDED.outcome = 'done' OR EXCLUDED.reason IS DISTINCT FROM evidence_parts.reason)
                    OR \(part != .attestation && !isFinal) AND EXCLUDED.outcome = 'done'
                        AND EXCLUDED.result IS DISTINCT FROM evidence_parts.result
                RETURNING part, reason, result)
            SELECT part, reason, result FROM taken
            UNION ALL
            SELECT part, reason, result FROM evidence_parts
            WHERE capture_id = \(capture.uuid) AND part NOT IN (SELECT taken.part FROM taken)
            ORDER BY part
            """)
        return try Self.parts(rows)
    }

    nonisolated(nonsending) func all(of capture: CaptureID) async throws -> [StoredPart] {
        try Self.parts(
            try await connection.query(
                """
                SELECT part, reason, result FROM evidence_parts WHERE capture_id = \(capture.uuid) ORDER BY part
                """))
    }

    private static func parts(_ rows: [Row]) throws -> [StoredPart] {
        try rows.map { row in
            guard let part = EvidencePart(rawValue: try row.get("part")) else {
                throw RejectedMessage(.captureUnreadable, detail: "its parts")
            }
            return StoredPart(
                part: part, result: try row.getOptional("result"),
                reason: try row.getOptional("reason", as: String.self).map(StableWord.init(text:)))
        }
    }
}
