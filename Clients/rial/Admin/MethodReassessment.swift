import Foundation
import Persistence

/// What came of one step through the captures.
struct ReassessmentStep: Sendable, Equatable {
    /// How many captures are to be assessed again that were not already.
    let requested: Int
    /// Where the next step begins.
    let last: UUID
}

/// The captures, by the methods that assessed them.
protocol MethodCaptures: Sendable {
    /// Has those of the next captures by ascending id assessed again that are complete and were assessed by the method. What is being
    /// carried out stays as it is, so a step may be repeated.
    /// - Parameters:
    ///   - after: the last id of the step before; `nil` for the first.
    ///   - limit: how many captures to look at.
    /// - Returns: `nil` if no capture is left.
    func request(by method: String, after: UUID?, limit: Int) async throws -> ReassessmentStep?
}

/// Has every capture assessed again that was assessed by a method, in steps: none takes long, and none holds the rows of the others.
struct MethodReassessment {
    static let step = 1000
    let captures: any MethodCaptures

    /// - Returns: how many captures are to be assessed again.
    func request(by method: String) async throws -> Int {
        let retry = StartupRetry(dependency: "PostgreSQL")
        var requested = 0
        var last: UUID?
        while let step = try await retry({ try await captures.request(by: method, after: last, limit: Self.step) }) {
            requested += step.requested
            last = step.last
        }
        return requested
    }
}

/// Each step has a connection of its own, since the one before may be lost.
struct PostgresMethodCaptures: MethodCaptures {
    let url: String

    func request(by method: String, after: UUID?, limit: Int) async throws -> ReassessmentStep? {
        try await AdminReassess.withConnection(url) { connection in
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
