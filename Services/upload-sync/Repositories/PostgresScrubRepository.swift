import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence

/// Scrub times in `sync_jobs`, damage in `media_damage`.
struct PostgresScrubRepository: ScrubRepository {
    let database: PostgresPool

    func withNext(
        days: Int, look: @escaping @Sendable (CaptureID, [(name: String, media: StoredMedia)]) async throws -> ScrubFindings
    ) async throws -> ScrubFindings? {
        guard let claim = try await self.claim(days: days) else { return nil }
        do {
            let findings = try await look(claim.capture, claim.objects)
            // If the capture was withdrawn meanwhile, the trigger `media_damage_withdrawn` stores nothing.
            try await database.withTransaction { connection in
                try await note(findings.objects, of: claim.capture, on: connection)
                if findings.isDueAgainSoon { try await postpone(claim, days: days, on: connection) }
            }
            return findings
        } catch {
            await putBack(claim)
            throw error
        }
    }

    /// A capture that is marked as scrubbed while its media are compared.
    private struct Claim: Sendable {
        let capture: CaptureID
        let objects: [(name: String, media: StoredMedia)]
        let scrubbedAt: Date
        /// When it was scrubbed before that.
        let formerly: Date?
    }

    private func claim(days: Int) async throws -> Claim? {
        try await database.withTransaction { connection in
            // Two instances do not get the same capture.
            let claimed = try await connection.query(
                """
                WITH due AS (
                    SELECT capture_id, scrubbed_at AS formerly FROM sync_jobs WHERE synced_at IS NOT NULL
                        AND coalesce(scrubbed_at, synced_at) < now() - make_interval(days => \(days)::int)
                    ORDER BY coalesce(scrubbed_at, synced_at) LIMIT 1 FOR UPDATE SKIP LOCKED
                )
                UPDATE sync_jobs SET scrubbed_at = now() FROM due WHERE sync_jobs.capture_id = due.capture_id
                RETURNING due.capture_id, scrubbed_at, formerly
                """)
            guard let row = claimed.first else { return nil }
            let capture = CaptureID(try row.get("capture_id", as: UUID.self))
            return Claim(
                capture: capture, objects: try await objects(of: capture, on: connection),
                scrubbedAt: try row.get("scrubbed_at", as: Date.self),
                formerly: try row.getOptional("formerly", as: Date.self))
        }
    }

    /// Makes a capture due again in an hour.
    private nonisolated(nonsending) func postpone(_ claim: Claim, days: Int, on connection: PostgresConnection) async throws {
        try await connection.query(
            """
            UPDATE sync_jobs SET scrubbed_at = now() - make_interval(days => \(days)::int) + interval '1 hour'
            WHERE capture_id = \(claim.capture.uuid) AND scrubbed_at = \(claim.scrubbedAt)
            """)
    }

    /// Makes a capture due again. If this fails, its turn comes with the next interval.
    private func putBack(_ claim: Claim) async {
        // A task of its own, since this one may be cancelled.
        await Task {
            _ = try? await database.query(
                """
                UPDATE sync_jobs SET scrubbed_at = \(claim.formerly)
                WHERE capture_id = \(claim.capture.uuid) AND scrubbed_at = \(claim.scrubbedAt)
                """)
        }.value
    }

    private nonisolated(nonsending) func objects(of capture: CaptureID, on connection: PostgresConnection) async throws -> [(
        name: String, media: StoredMedia
    )] {
        try await connection.query(
            """
            SELECT name, object_key, sha256, size_bytes, content_type FROM media_objects WHERE capture_id = \(capture.uuid) ORDER BY name
            """
        ).compactMap { row in try row.storedMedia().map { (try row.get("name", as: String.self), $0) } }
    }

    /// Does not count objects as damaged that were replaced, and perhaps deleted, while they were compared.
    private nonisolated(nonsending) func note(_ objects: [ScrubFindings.Object], of capture: CaptureID, on connection: PostgresConnection)
        async throws
    {
        let damaged = objects.filter { $0.problem != nil }
        if !damaged.isEmpty {
            try await connection.query(
                """
                INSERT INTO media_damage (capture_id, name, object_key, problem)
                SELECT capture_id, name, object_key, found.problem FROM media_objects
                    JOIN unnest(\(damaged.map(\.name)), \(damaged.map(\.media.key)), \(damaged.compactMap { $0.problem?.rawValue }))
                        AS found (name, object_key, problem) USING (name, object_key)
                    WHERE capture_id = \(capture.uuid)
                ON CONFLICT (capture_id, name) DO UPDATE SET problem = EXCLUDED.problem, object_key = EXCLUDED.object_key, seen_at = now(),
                    found_at = CASE WHEN media_damage.mended_at IS NULL THEN media_damage.found_at ELSE now() END, mended_at = NULL
                """)
        }
        try await connection.query(
            """
            UPDATE media_damage SET mended_at = now() FROM unnest(\(objects.filter { $0.problem == nil }.map(\.name))) AS intact (name)
            WHERE capture_id = \(capture.uuid) AND media_damage.name = intact.name AND mended_at IS NULL
            """)
    }

    func measure() async throws -> (damaged: Int64, unscrubbedSeconds: Double) {
        let damaged = try await database.query("SELECT count(*) AS count FROM media_damage WHERE mended_at IS NULL")
        let oldest = try await database.query(
            """
            SELECT extract(epoch FROM now() - min(coalesce(scrubbed_at, synced_at)))::float8 AS age FROM sync_jobs
            WHERE synced_at IS NOT NULL
            """)
        return (
            try damaged.first?.get("count", as: Int64.self) ?? 0, try oldest.first?.getOptional("age", as: Double.self) ?? 0
        )
    }
}
