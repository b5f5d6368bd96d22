import CaptureProtocol
import Foundation
import Models
import Persistence
import TransparencyLog

/// Reads what `evidence-assembler` and `transparency-log` write.
struct PostgresLogReading: LogReading {
    let database: PostgresPool

    func statements(of capture: CaptureID) async throws -> [StoredStatement] {
        try await database.query(
            """
            SELECT \(Self.place), statement, salt, evidence, raw, raw_salt FROM statements \(Self.entry)
            WHERE statements.capture_id = \(capture.uuid) ORDER BY sequence
            """
        ).map(StoredStatement.init)
    }

    func last(of capture: CaptureID) async throws -> PlacedStatement? {
        try await database.query(
            """
            SELECT \(Self.place) FROM statements \(Self.entry)
            WHERE statements.capture_id = \(capture.uuid) ORDER BY sequence DESC LIMIT 1
            """
        ).first.map(PlacedStatement.init)
    }

    private static let place: SQL = """
        statements.kind, statements.time, statements.not_before, log_entries.leaf_index, \(shard)
        """
    private static let shard: SQL = """
        log_shards.origin, log_shards.shard, log_shards.published_size,
            log_shards.frozen_at IS NOT NULL AND log_shards.closed_at IS NULL AS is_frozen
        """
    /// The entry in `log_entries`: the copy of its place in `statements` is written a moment later.
    private static let entry: SQL = """
        LEFT JOIN log_entries ON log_entries.commitment = statements.commitment
        LEFT JOIN log_shards ON log_shards.origin = log_entries.origin
        """

    func intake() async throws -> LogIntake {
        let rows = try await database.query("SELECT frozen_at IS NOT NULL AS is_frozen FROM log_shards WHERE closed_at IS NULL")
        guard let row = rows.first else { return .closed }
        return try row.get("is_frozen") ? .frozen : .open
    }

    func checkpoints(_ search: CheckpointSearch) async throws -> [CosignedCheckpoint?] {
        try await database.query(Self.statement(of: search)).map { try CosignedCheckpoint($0) }
    }

    static func statement(of search: CheckpointSearch) -> SQL {
        let larger: SQL = "origin = \(search.origin) AND size > \(Int64(clamping: search.index))"
        let order: SQL = search.isNewestFirst ? "DESC" : ""
        // A renewal is later than the first cosignature.
        let counts: SQL = "greatest(cosigned_at, renewed_at) >= \(search.notBefore)"
        let found: SQL
        if search.isCosigned, !search.isStamped {
            // Only published checkpoints have cosignatures. Their sizes come from these, and each checkpoint by its key: while no witness
            // answers, thousands of checkpoints without any are published.
            found = """
                (SELECT DISTINCT size FROM log_cosignatures WHERE \(larger) AND \(counts)
                    ORDER BY size \(order) LIMIT \(search.limit)) AS sizes
                CROSS JOIN LATERAL (SELECT size, note, token, token_at FROM log_checkpoints
                    WHERE origin = \(search.origin) AND size = sizes.size AND note IS NOT NULL LIMIT 1) AS found
                """
        } else {
            let stamped: SQL = search.isStamped ? "AND token IS NOT NULL AND token_at >= \(search.notBefore)" : ""
            found = "(SELECT size, note, token, token_at FROM log_checkpoints WHERE \(larger) AND note IS NOT NULL \(stamped)) AS found"
        }
        let cosigned: SQL = search.isCosigned ? "WHERE cosigned.lines IS NOT NULL" : ""
        return """
            SELECT found.size, note, CASE WHEN token_at >= \(search.notBefore) THEN token END AS token, cosigned.lines FROM \(found)
            CROSS JOIN LATERAL (SELECT array_agg(CASE WHEN cosigned_at >= \(search.notBefore) THEN line ELSE renewed_line END
                    ORDER BY cosigned_at, witness, key_id) AS lines FROM log_cosignatures
                WHERE log_cosignatures.origin = \(search.origin) AND log_cosignatures.size = found.size AND \(counts)) AS cosigned
            \(cosigned) ORDER BY found.size \(order) LIMIT \(search.limit)
            """
    }

    func published(shard name: String) async throws -> PublishedShard? {
        try await database.query("SELECT \(Self.shard) FROM log_shards WHERE shard = \(name) AND published_size > 0").first
            .map(PublishedShard.init)
    }

    func owned(_ capture: CaptureID) async throws -> OwnedParts? {
        let rows = try await database.query(
            """
            SELECT announcement, attestation_object, client_data_hash FROM captures JOIN devices ON devices.id = captures.device_id
            WHERE captures.id = \(capture.uuid) AND captures.status <> 'withdrawn'
            """)
        guard let row = rows.first else { return nil }
        let announcement = try row.get("announcement", as: PostgresJSON.self).decode(CaptureAnnouncement.self)
        return OwnedParts(
            kind: announcement.content.kind, metadata: announcement.metadata, assertion: announcement.assertion,
            attestation: try row.getOptional("attestation_object"),
            clientDataHash: try row.getOptional("client_data_hash", as: [UInt8].self).flatMap { ContentDigest(bytes: $0) })
    }
}

extension PublishedShard {
    fileprivate init(_ row: Row) throws {
        origin = try row.get("origin")
        name = try row.get("shard")
        size = UInt64(clamping: try row.get("published_size", as: Int64.self))
        isFrozen = try row.get("is_frozen")
    }
}

extension PlacedStatement {
    fileprivate init(_ row: Row) throws {
        kind = try row.word("kind")
        notBefore = try row.getOptional("not_before")
        place = try row.getOptional("leaf_index", as: Int64.self).map { index in
            LogPlace(shard: try PublishedShard(row), index: UInt64(clamping: index), time: try row.get("time"))
        }
    }
}

extension StoredStatement {
    fileprivate init(_ row: Row) throws {
        placed = try PlacedStatement(row)
        statement = try Statement(bytes: try row.get("statement"))
        guard let salt = Salt(bytes: try row.get("salt", as: [UInt8].self)) else {
            throw PostgresError(code: .decoding, message: "column salt is not a salt")
        }
        self.salt = salt
        evidence = try row.getOptional("evidence")
        raw = try row.getOptional("raw_salt", as: [UInt8].self).map { bytes in
            let digests = try row.get("raw", as: PostgresJSON.self).decode([String: ContentDigest].self)
            let named = digests.compactMap { name, digest in RawParts.Name(rawValue: name).map { ($0, digest) } }
            guard let salt = Salt(bytes: bytes), named.count == digests.count else {
                throw PostgresError(code: .decoding, message: "columns raw and raw_salt are not digests of parts with their salt")
            }
            return RawParts(digests: Dictionary(named) { first, _ in first }, salt: salt)
        }
    }
}

extension CosignedCheckpoint {
    /// Without cosignatures that cannot be read; `nil` if the note itself cannot be.
    fileprivate init?(_ row: Row) throws {
        let bytes = Array(try row.get("note", as: String.self).utf8)
        guard let own = try? SignedNote(bytes) else { return nil }
        let lines = try row.getOptional("lines", as: [String].self) ?? []
        size = UInt64(clamping: try row.get("size", as: Int64.self))
        note = try own.adding(lines.flatMap { (try? NoteSignature.lines(Array("\($0)\n".utf8))) ?? [] })
        token = try row.getOptional("token")
    }
}
