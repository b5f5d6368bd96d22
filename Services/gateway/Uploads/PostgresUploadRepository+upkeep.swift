import Foundation
import Persistence

extension PostgresUploadRepository: UploadUpkeepRepository {
    /// Under an advisory lock.
    func closeExpired(limit: Int) async throws -> ClosedUploads? {
        try await database.withTransaction { connection in
            let lock = try await connection.query("SELECT pg_try_advisory_xact_lock(hashtext('rial-clean-uploads')) AS held")
            guard try lock.first?.get("held", as: Bool.self) == true else { return nil }
            let expired = try await connection.query(
                """
                UPDATE uploads SET \(UploadEnding.changes), expires_at = expires_at + \(UploadEnding.kept)
                WHERE id IN (
                    SELECT id FROM uploads WHERE state = 'open' AND expires_at <= now()
                    ORDER BY expires_at LIMIT \(limit) FOR UPDATE SKIP LOCKED)
                RETURNING id
                """)
            let closed = try await connection.query(
                """
                SELECT id FROM uploads WHERE state <> 'open' AND emptied_at IS NULL ORDER BY expires_at LIMIT \(limit)
                """)
            return ClosedUploads(expired: expired.count, closed: try closed.map { UploadID(try $0.get("id", as: UUID.self)) })
        }
    }

    func emptied(among ids: [UploadID]) async throws -> Int {
        let rows = try await database.query(
            "SELECT count(*) AS emptied FROM uploads WHERE id = ANY(\(ids.map(\.uuid))) AND emptied_at IS NOT NULL")
        return try rows.first?.get("emptied") ?? 0
    }

    func forgetOld(limit: Int) async throws -> Int {
        try await database.query(
            """
            DELETE FROM uploads WHERE id IN (
                SELECT id FROM uploads WHERE state <> 'open' AND emptied_at IS NOT NULL AND expires_at <= now()
                ORDER BY expires_at LIMIT \(limit))
            RETURNING id
            """
        ).count
    }

    func open() async throws -> (uploads: Int, bytes: Int64) {
        let rows = try await database.query(
            "SELECT count(*) AS uploads, coalesce(sum(offset_bytes), 0)::int8 AS bytes FROM uploads WHERE state = 'open'")
        guard let row = rows.first else { return (0, 0) }
        return (try row.get("uploads"), try row.get("bytes"))
    }
}
