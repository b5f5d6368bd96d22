import CaptureProtocol
import Foundation
import Models
import Persistence

/// The rows that name objects, read with the owner's rights.
struct PostgresBackupRows: BackupRows {
    /// For statements that read every capture.
    static let longestStatement = Duration.seconds(600)
    /// How long the payload of a hash-only capture may take to be stored: seconds, or minutes if the broker lost its announcement.
    static let longestSync: TimeInterval = 600
    let connection: PostgresConnection

    func edge() async throws -> DatabaseEdge {
        let newest = try await connection.query(
            "SELECT id, uploaded_at FROM captures WHERE uploaded_at IS NOT NULL ORDER BY uploaded_at DESC LIMIT 1")
        let row = try await connection.query(
            """
            SELECT greatest(max(uploaded_at), max(completed_at), max(withdrawn_at), (SELECT max(created_at) FROM intakes),
                (SELECT max(registered_at) FROM devices)) AS newest FROM captures
            """)
        return DatabaseEdge(
            newestCapture: try newest.first.map { (CaptureID(try $0.get("id", as: UUID.self)), try $0.get("uploaded_at")) },
            newestRow: try row.first?.getOptional("newest"))
    }

    func page(of kind: BackupFolder.Kind, after: UUID?, limit: Int) async throws -> [KnownFolder] {
        let table: SQL = kind == .captures ? "captures WHERE true" : "uploads WHERE state = 'open'"
        // Without a condition where there is none, so that each page begins in the index where the last one has ended.
        let rest: SQL = after.map { " AND id > \($0)" } ?? ""
        let ids = try await connection.query("SELECT id FROM \(table)\(rest) ORDER BY id LIMIT \(limit)")
        guard let last = try ids.last?.get("id", as: UUID.self) else { return [] }
        return switch kind {
        case .captures: try await captures(after: after, through: last)
        case .incoming: try await uploads(after: after, through: last)
        }
    }

    func folder(_ folder: BackupFolder) async throws -> KnownFolder? {
        switch folder.kind {
        case .captures:
            if let known = try await captures(at: folder.id).first { return known }
        case .incoming:
            if let known = try await uploads(at: folder.id).first { return known }
        }
        // An upload under way, or its remains, which upload-sync deletes. Of one that was abandoned, or that brings the bytes of a known
        // capture, no capture has come.
        let rows = try await connection.query(
            """
            SELECT bool_or(is_erased) AS is_erased, max(uploading_since) AS uploading_since FROM (
                SELECT false AS is_erased, CASE WHEN prefix = 'captures/' || id || '/' AND brings IS NULL AND abandoned_at IS NULL
                    THEN created_at END AS uploading_since FROM intakes WHERE id = \(folder.id)
                UNION ALL SELECT false, NULL FROM uploads WHERE id = \(folder.id) AND emptied_at IS NULL
                UNION ALL SELECT withdrawals.erased_at IS NOT NULL, NULL FROM captures
                    LEFT JOIN withdrawals ON withdrawals.capture_id = captures.id WHERE captures.id = \(folder.id)
                UNION ALL SELECT erased_at IS NOT NULL, NULL FROM withdrawals WHERE upload_ids @> ARRAY[\(folder.id)]
            ) AS known
            """)
        guard let row = rows.first, let isErased = try row.getOptional("is_erased", as: Bool.self) else { return nil }
        if isErased { return KnownFolder(folder: folder, others: .withdrawn) }
        let start = folder.kind == .captures ? try row.getOptional("uploading_since", as: Date.self) : nil
        return KnownFolder(folder: folder, others: start.map { .uploading(since: $0) } ?? .allowed)
    }

    func hasShard(_ name: String) async throws -> Bool {
        try await !connection.query("SELECT FROM log_shards WHERE shard = \(name)").isEmpty
    }

    func captures(receivedAfter time: Date) async throws -> Int {
        let rows = try await connection.query(
            """
            SELECT count(*) AS count FROM captures WHERE uploaded_at > \(time)
                AND EXISTS (SELECT FROM media_objects WHERE media_objects.capture_id = captures.id)
            """)
        return try rows.first?.get("count") ?? 0
    }

    private func captures(at id: UUID) async throws -> [KnownFolder] {
        try await captures("id = \(id)", objects: "capture_id = \(id)")
    }

    private func captures(after: UUID?, through: UUID) async throws -> [KnownFolder] {
        guard let after else { return try await captures("id <= \(through)", objects: "capture_id <= \(through)") }
        return try await captures("id > \(after) AND id <= \(through)", objects: "capture_id > \(after) AND capture_id <= \(through)")
    }

    /// Names of uploads by their members in the announcement.
    private static let uploads: SQL = """
        (VALUES ('photo', \(MediaName.original.rawValue)), ('video', \(MediaName.originalVideo.rawValue)),
            ('depth', \(MediaName.depth.rawValue)), ('hash_chain', \(MediaName.hashChain.rawValue))) AS part (member, name)
        """

    /// Whether a failed capture's media are due to expire, as upload-sync sees it. They may have been deleted since a backup was made.
    private static let expires: SQL = """
        (captures.status = 'failed' AND captures.uploaded_at < now() - interval '30 days' AND EXISTS (
            SELECT FROM devices WHERE devices.id = captures.device_id AND devices.attestation_level = 'unverified'))
        """

    /// A failed capture has its uploads unless they were what it failed by, or have expired.
    private static let hasUploads: SQL = """
        (captures.status = 'processing' OR captures.status = 'failed' AND synced_at IS NOT NULL AND media_expired_at IS NULL
            AND NOT \(expires)
            AND captures.failure IS DISTINCT FROM \(FailureReason.intakeMissing.rawValue)
            AND captures.failure IS DISTINCT FROM \(FailureReason.digestMismatch.rawValue))
        """

    /// A hash-only capture has no uploads: upload-sync stores its payload, and after that its findings (SPEC §9). Without findings the
    /// payload of a capture in processing is expected only after ``longestSync``, and that of a failed one never. It expires as uploads do.
    private static let hasPayload: SQL = """
        (captures.capture_mode = 'hash_only' AND announcement ->> 'metadata' IS NOT NULL
            AND (captures.status IN ('processing', 'failed') AND sync_jobs.result IS NOT NULL AND NOT \(expires)
                OR captures.status = 'processing' AND uploaded_at < now() - make_interval(secs => \(longestSync))))
        """

    /// The size of the payload, which the announcement has as base64. Unlike with `decode`, no text makes the query fail.
    private static let payloadBytes: SQL = "length(rtrim(announcement ->> 'metadata', '=')) * 3 / 4"

    private func captures(_ condition: SQL, objects: SQL) async throws -> [KnownFolder] {
        let named = try await connection.query(
            """
            SELECT capture_id, name, object_key, NULL AS elsewhere, size_bytes FROM media_objects WHERE \(objects)
            UNION ALL
            SELECT id, part.name, 'captures/' || id || '/' || part.name,
                nullif(announcement #>> ARRAY['intake', part.member, 'key'], 'captures/' || id || '/' || part.name),
                (announcement #>> ARRAY['intake', part.member, 'size_bytes'])::int8
            FROM captures LEFT JOIN sync_jobs ON sync_jobs.capture_id = captures.id CROSS JOIN \(Self.uploads)
            WHERE \(condition) AND \(Self.hasUploads) AND announcement #> ARRAY['intake', part.member, 'key'] IS NOT NULL
            UNION ALL
            SELECT id, \(MediaName.metadata.rawValue), 'captures/' || id || '/' || \(MediaName.metadata.rawValue), NULL,
                \(Self.payloadBytes)
            FROM captures LEFT JOIN sync_jobs ON sync_jobs.capture_id = captures.id WHERE \(condition) AND \(Self.hasPayload)
            """)
        var objects = try Dictionary(grouping: named) { try $0.get("capture_id", as: UUID.self) }
        let rows = try await connection.query(
            """
            SELECT id, uploaded_at, CASE
                WHEN captures.status = 'withdrawn' AND erased_at IS NOT NULL THEN 'withdrawn'
                WHEN captures.status = 'complete' AND derived_swept_at IS NOT NULL THEN 'left'
                ELSE 'allowed' END AS others
            FROM captures LEFT JOIN sync_jobs ON sync_jobs.capture_id = captures.id
                LEFT JOIN withdrawals ON withdrawals.capture_id = captures.id
            WHERE \(condition) ORDER BY id
            """)
        return try rows.map { row in
            let id: UUID = try row.get("id")
            let others: String = try row.get("others")
            return KnownFolder(
                folder: BackupFolder(.captures, id), named: try (objects.removeValue(forKey: id) ?? []).map(Self.object),
                others: others == "withdrawn" ? .withdrawn : others == "left" ? .left : .allowed,
                receivedAt: try row.getOptional("uploaded_at"))
        }
    }

    private static func object(_ row: Row) throws -> NamedObject {
        NamedObject(
            name: try row.get("name"), key: try row.get("object_key"), elsewhere: try row.getOptional("elsewhere"),
            sizeBytes: try row.get("size_bytes"))
    }

    private func uploads(at id: UUID) async throws -> [KnownFolder] { try await uploads("id = \(id)") }

    private func uploads(after: UUID?, through: UUID) async throws -> [KnownFolder] {
        guard let after else { return try await uploads("id <= \(through)") }
        return try await uploads("id > \(after) AND id <= \(through)")
    }

    private func uploads(_ condition: SQL) async throws -> [KnownFolder] {
        let rows = try await connection.query(
            """
            SELECT id, 'segment ' || start_bytes AS name, object_key, NULL AS elsewhere, size_bytes
            FROM uploads LEFT JOIN upload_segments ON upload_segments.upload_id = uploads.id
            WHERE state = 'open' AND \(condition) ORDER BY id, start_bytes
            """)
        var folders: [KnownFolder] = []
        for row in rows {
            let folder = BackupFolder(.incoming, try row.get("id"))
            if folders.last?.folder != folder { folders.append(KnownFolder(folder: folder)) }
            guard try row.getOptional("object_key", as: String.self) != nil else { continue }
            folders[folders.count - 1].named.append(try Self.object(row))
        }
        return folders
    }
}
