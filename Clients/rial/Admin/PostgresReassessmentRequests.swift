import CaptureProtocol
import Foundation
import Persistence

/// A request to assess a capture again that was not carried out.
struct OpenReassessment: Sendable {
    let capture: CaptureID
    let requestedAt: Date
    /// Whether the stored bytes were measured again.
    let isMeasured: Bool
    /// Why it was not carried out; `nil` while it waits.
    let outcome: String?
}

/// The requests in `reassessments`, made with the owner's rights. Each call has a connection of its own, since the one before may be lost.
struct PostgresReassessmentRequests: MethodCaptures {
    /// The end of an `INSERT INTO reassessments`: what is being carried out stays as it is.
    private static let renewing: SQL = """
        ON CONFLICT (capture_id) DO UPDATE
        SET requested_at = now(), taken_at = NULL, depth = NULL, settled_at = NULL, outcome = NULL
        WHERE reassessments.settled_at IS NOT NULL
        """
    let url: String

    /// Has a capture assessed again.
    /// - Throws: ``CommandFailure`` if there is no such capture, or it is not complete.
    func request(_ capture: CaptureID) async throws {
        try await PostgresConnection.administering(url) { connection in
            let status = try await CaptureRows(connection: connection).status(of: capture)
            guard status == CaptureStatus.complete.rawValue else {
                throw CommandFailure("Capture \(capture) is not complete, but \(status): there is no verdict to give again.")
            }
            try await connection.query("INSERT INTO reassessments (capture_id) VALUES (\(capture.uuid)) \(Self.renewing)")
        }
    }

    /// At most 10,000; those that wait come first, the longest waiting before the others.
    func open() async throws -> [OpenReassessment] {
        try await PostgresConnection.administering(url) { connection in
            try await connection.query(
                """
                SELECT capture_id, requested_at, depth IS NOT NULL AS is_measured, outcome FROM reassessments
                WHERE outcome IS NULL OR outcome NOT IN ('reassessed', 'unchanged')
                ORDER BY settled_at DESC NULLS FIRST, requested_at LIMIT 10000
                """
            ).map { row in
                OpenReassessment(
                    capture: CaptureID(try row.get("capture_id", as: UUID.self)), requestedAt: try row.get("requested_at"),
                    isMeasured: try row.get("is_measured"), outcome: try row.getOptional("outcome"))
            }
        }
    }

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
                    \(Self.renewing) RETURNING capture_id
                )
                SELECT id, (SELECT count(*) FROM requested) AS requested FROM step ORDER BY id DESC LIMIT 1
                """)
            return try rows.first.map { ReassessmentStep(requested: try $0.get("requested"), last: try $0.get("id")) }
        }
    }
}
