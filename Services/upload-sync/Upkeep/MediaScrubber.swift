import CaptureProtocol
import Foundation
import Logging
import Metrics
import Models
import ObjectStorage
import Persistence
import ServiceLifecycle

/// Reads stored media again from end to end and compares them with their digests: damage is found before somebody needs the bytes (SPEC §5).
///
/// The captures that were not looked at for longest come first, and not more bytes a second than it was told.
struct MediaScrubber {
    /// Each capture within so many days.
    let days: Int
    let bytesPerSecond: Int
    let database: PostgresPool
    let storage: any ObjectStore
    let logger: Logger

    /// Goes through what is due, or until shutdown.
    func scrub() async throws {
        var failures = 0
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            let start = ContinuousClock.now
            do {
                guard let bytes = try await scrubNext() else { break }
                failures = 0
                let pause = Duration.seconds(Double(bytes) / Double(bytesPerSecond)) - start.duration(to: .now)
                if pause > .zero { await cancelWhenGracefulShutdown { try? await Task.sleep(for: pause) } }
            } catch let error as ObjectStorageError where failures < 3 {
                // One that the store does not give now holds up no others; three in a row are the store's.
                failures += 1
                logger.warning("stored media could not be read", error: error)
            }
        }
        try await measure()
    }

    /// - Returns: how many bytes were read; `nil` if nothing is due.
    private func scrubNext() async throws -> Int64? {
        // The row is held meanwhile, so that two instances do not read the same; when the process dies, it is due again.
        try await database.withTransaction { connection in
            let due = try await connection.query(
                """
                SELECT capture_id FROM sync_jobs WHERE synced_at IS NOT NULL
                    AND coalesce(scrubbed_at, synced_at) < now() - make_interval(days => \(days)::int)
                ORDER BY coalesce(scrubbed_at, synced_at) LIMIT 1 FOR UPDATE SKIP LOCKED
                """)
            guard let capture = try due.first.map({ CaptureID(try $0.get("capture_id", as: UUID.self)) }) else { return nil }
            // Noted also where something cannot be read now: others are due as well.
            try await connection.query("UPDATE sync_jobs SET scrubbed_at = now() WHERE capture_id = \(capture.uuid)")
            let rows = try await connection.query(
                """
                SELECT name, object_key, sha256, size_bytes, content_type FROM media_objects WHERE capture_id = \(capture.uuid) ORDER BY name
                """)
            var bytes: Int64 = 0
            for row in rows {
                let name: String = try row.get("name")
                guard let digest = ContentDigest(bytes: try row.get("sha256", as: [UInt8].self)) else { continue }
                let object = StoredMedia(
                    key: try row.get("object_key"), sha256: digest, sizeBytes: try row.get("size_bytes", as: Int64.self),
                    contentType: try row.get("content_type"))
                let problem = try await problem(with: object)
                try await note(problem, of: capture, name, object, on: connection)
                bytes += object.sizeBytes
            }
            Counter(label: "rial_media_scrubbed_bytes_total").increment(by: bytes)
            return bytes
        }
    }

    private func problem(with object: StoredMedia) async throws -> MediaProblem? {
        do {
            _ = try await storage.digest(ofAll: [object])
            return nil
        } catch let error as ObjectStorageError {
            switch error.code {
            case .notFound: return .missing
            case .digestMismatch, .tooLarge: return .digestMismatch
            default: throw error
            }
        }
    }

    private func note(
        _ problem: MediaProblem?, of capture: CaptureID, _ name: String, _ object: StoredMedia, on connection: PostgresConnection
    ) async throws {
        guard let problem else {
            try await connection.query(
                """
                UPDATE media_damage SET mended_at = now() WHERE capture_id = \(capture.uuid) AND name = \(name) AND mended_at IS NULL
                """)
            return
        }
        try await connection.query(
            """
            INSERT INTO media_damage (capture_id, name, object_key, problem)
            VALUES (\(capture.uuid), \(name), \(object.key), \(problem.rawValue))
            ON CONFLICT (capture_id, name) DO UPDATE SET problem = EXCLUDED.problem, object_key = EXCLUDED.object_key, seen_at = now(),
                found_at = CASE WHEN media_damage.mended_at IS NULL THEN media_damage.found_at ELSE now() END, mended_at = NULL
            """)
        logger.error(
            "stored media are damaged",
            metadata: ["capture_id": "\(capture)", "name": "\(name)", "key": "\(object.key)", "problem": "\(problem.rawValue)"])
    }

    /// How much is damaged now, and how long ago what waits longest was looked at.
    private func measure() async throws {
        let damaged = try await database.query("SELECT count(*) AS count FROM media_damage WHERE mended_at IS NULL")
        Meter(label: "rial_media_damaged").set(try damaged.first?.get("count", as: Int64.self) ?? 0)
        let oldest = try await database.query(
            """
            SELECT extract(epoch FROM now() - min(coalesce(scrubbed_at, synced_at)))::float8 AS age FROM sync_jobs WHERE synced_at IS NOT NULL
            """)
        Meter(label: "rial_media_unscrubbed_seconds").set(try oldest.first?.getOptional("age", as: Double.self) ?? 0)
    }
}
