import CaptureProtocol
import Foundation
import Persistence

/// The uploads in `uploads` and `upload_segments`, with their rows in `intakes`. Each statement that changes one demands the state, and
/// where bytes are added the epoch and the offset, that its caller saw.
struct PostgresUploadRepository: UploadRepository {
    /// The channel on which gateways ask each other to store what they hold of an upload; the payload is its id.
    static let channel = "rial_uploads"
    /// The maximum number of segments of an upload of this many bytes: on average they may be as small as 16 KiB, what a connection of
    /// 8 kB/s brings until a segment is stored.
    static func maximumSegments(of length: Int64) -> Int { max(1000, Int(clamping: length / (16 << 10))) }

    let database: PostgresPool
    /// The gateway's own clock.
    var now: @Sendable () -> Date = { Date() }

    func find(_ token: UploadToken) async throws -> Upload? {
        try await database.query("SELECT \(Upload.columns) FROM uploads WHERE token_sha256 = \(token.digest.bytes)").first.map(Upload.init)
    }

    func find(_ id: UploadID) async throws -> Upload? {
        try await database.query("SELECT \(Upload.columns) FROM uploads WHERE id = \(id.uuid)").first.map(Upload.init)
    }

    func askToStop(_ id: UploadID) async throws {
        _ = try await database.query("SELECT pg_notify(\(Self.channel), \(id.description))")
    }

    func begin(_ token: UploadToken, runner: UUID) async throws -> Upload? {
        try await database.query(
            """
            UPDATE uploads SET epoch = epoch + 1, runner = \(runner), running_since = now()
            WHERE token_sha256 = \(token.digest.bytes) AND state = 'open' AND runner IS NULL AND expires_at > now()
            RETURNING \(Upload.columns)
            """
        ).first.map(Upload.init)
    }

    func claim(_ id: UploadID, runner: UUID?) async throws -> Upload? {
        try await database.query(
            """
            UPDATE uploads SET epoch = epoch + 1, runner = \(runner),
                running_since = CASE WHEN \(runner)::uuid IS NULL THEN NULL ELSE now() END
            WHERE id = \(id.uuid) AND state = 'open' AND expires_at > now() RETURNING \(Upload.columns)
            """
        ).first.map(Upload.init)
    }

    func release(_ upload: Upload) async throws {
        _ = try await database.query(
            "UPDATE uploads SET runner = NULL, running_since = NULL WHERE id = \(upload.id.uuid) AND epoch = \(upload.epoch)")
    }

    func grow(_ upload: Upload, from start: Int64, by sizeBytes: Int64, key: String) async throws -> Bool {
        let isLast = start + sizeBytes == upload.length
        let isOnTime: SQL = "abs(extract(epoch FROM now() - \(now()))) <= \(ReceiptClock.tolerance)"
        do {
            return try await !database.query(
                """
                WITH grown AS (
                    UPDATE uploads SET offset_bytes = offset_bytes + \(sizeBytes),
                        received_at = CASE WHEN \(isLast) AND \(isOnTime) THEN now() END
                    WHERE id = \(upload.id.uuid) AND epoch = \(upload.epoch) AND offset_bytes = \(start) AND state = 'open'
                        AND expires_at > now() AND (SELECT count(*) FROM upload_segments WHERE upload_id = \(upload.id.uuid))
                            < \(Self.maximumSegments(of: upload.length))
                    RETURNING id
                )
                INSERT INTO upload_segments (upload_id, start_bytes, size_bytes, object_key)
                SELECT id, \(start), \(sizeBytes), \(key) FROM grown RETURNING upload_id
                """
            ).isEmpty
        } catch let error as PostgresError where isLast && error.sqlState == "23514" {
            // A constraint of `uploads` wants a time of what is complete, so nothing was changed.
            throw CaptureError.clocksDiffer
        }
    }

    func segments(of id: UploadID) async throws -> [UploadSegment] {
        try await database.query(
            "SELECT object_key, size_bytes FROM upload_segments WHERE upload_id = \(id.uuid) ORDER BY start_bytes"
        ).map(UploadSegment.init)
    }

    func finish(_ id: UploadID, _ answer: UploadAnswer) async throws {
        _ = try await database.query(UploadEnding.statement(id.uuid, became: answer))
    }

    func end(_ id: UploadID) async throws -> Bool { try await !database.query(UploadEnding.statement(id.uuid)).isEmpty }

    /// A row in `intakes` that stays is the one by which upload-sync empties the upload's folder.
    func noteEmptied(_ id: UploadID, leavesNothing: Bool) async throws {
        _ = try await database.query(
            """
            WITH emptied AS (UPDATE uploads SET emptied_at = now() WHERE id = \(id.uuid) AND state <> 'open' RETURNING id),
                forgotten AS (DELETE FROM upload_segments WHERE upload_id IN (SELECT id FROM emptied))
            DELETE FROM intakes WHERE \(leavesNothing) AND id IN (SELECT id FROM emptied)
            """)
    }
}
