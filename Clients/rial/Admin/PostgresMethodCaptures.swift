import Foundation
import Persistence

/// Each step has a connection of its own, since the one before may be lost.
struct PostgresMethodCaptures: MethodCaptures {
    let url: String

    func request(by method: String, after: UUID?, limit: Int) async throws -> ReassessmentStep? {
        try await PostgresConnection.administering(url) { connection in
            // Without a condition where there is none, so that each step begins in the index where the last one has ended.
            let rest: SQL = after.map { "WHERE id > \($0)" } ?? ""
            let rows = try await connection.query(
                """
                WITH step AS (SELECT id, status, evidence FROM captures \(rest) ORDER BY id LIMIT \(limit)),
                requested AS (
                    INSERT INTO reassessments (capture_id) SELECT id FROM step WHERE status = 'complete'
                        AND EXISTS (SELECT FROM jsonb_each_text(evidence -> 'algorithm_versions') AS used WHERE used.value = \(method))
                    \(SQL.renewingReassessment) RETURNING capture_id
                )
                SELECT id, (SELECT count(*) FROM requested) AS requested FROM step ORDER BY id DESC LIMIT 1
                """)
            return try rows.first.map { ReassessmentStep(requested: try $0.get("requested"), last: try $0.get("id")) }
        }
    }
}

extension SQL {
    /// The end of an `INSERT INTO reassessments`: what is being carried out stays as it is.
    static let renewingReassessment: SQL = """
        ON CONFLICT (capture_id) DO UPDATE
        SET requested_at = now(), taken_at = NULL, depth = NULL, settled_at = NULL, outcome = NULL
        WHERE reassessments.settled_at IS NOT NULL
        """
}
