import CaptureProtocol
import Delivery
import Foundation
import Persistence
import TransparencyLog

/// A row of the log's tables that this service would not have written.
struct MalformedLogRow: Error, CustomStringConvertible {
    let description: String
}

/// The queries on the log's tables that only read, on any connection.
struct LogRows: Sendable {
    static let shardColumns: SQL =
        "origin, shard, log_key, size, root, published_size, next_key, end_index, frozen_reason, frozen_detail"

    /// From when on a row of `log_pending` may be entered.
    static let dueAt: SQL = "greatest(not_before, to_timestamp(time - \(PendingLeaf.aheadSeconds)))"

    let query: @Sendable (SQL) async throws -> [Row]

    func openShard() async throws -> LogShard? {
        try await query("SELECT \(Self.shardColumns) FROM log_shards WHERE closed_at IS NULL").first.map { try LogShard($0) }
    }

    func shards() async throws -> [LogShard] {
        try await query("SELECT \(Self.shardColumns) FROM log_shards ORDER BY opened_at").map { try LogShard($0) }
    }

    func leaves(_ range: Range<UInt64>, of origin: TextLine) async throws -> [[UInt8]] {
        try await query(
            """
            SELECT leaf_index, leaf FROM log_entries WHERE origin = \(origin.text)
                AND leaf_index >= \(Int64(range.lowerBound)) AND leaf_index < \(Int64(range.upperBound)) ORDER BY leaf_index
            """
        ).enumerated().prefix { try $1.get("leaf_index", as: Int64.self) == Int64(range.lowerBound) + Int64($0) }
            .map { try $1.get("leaf") }
    }

    func checkpoint(of size: UInt64, _ origin: TextLine) async throws -> CommittedCheckpoint? {
        try await query(
            "SELECT size, root, body, note FROM log_checkpoints WHERE origin = \(origin.text) AND size = \(Int64(size))"
        ).first.map { try CommittedCheckpoint($0) }
    }
}

extension Row {
    /// The column `note`; `nil` also if what is there is no note.
    func note() throws -> SignedNote? { try getOptional("note", as: String.self).flatMap { try? SignedNote(Array($0.utf8)) } }
}

extension TreeHead {
    init(_ row: Row) throws {
        let size = try row.get("size", as: Int64.self)
        guard size >= 0 else { throw MalformedLogRow(description: "a tree's size is negative") }
        self.init(size: UInt64(size), root: try row.digest("root"))
    }
}

extension CommittedCheckpoint {
    init(_ row: Row) throws {
        self.init(head: try TreeHead(row), text: Array(try row.get("body", as: String.self).utf8), note: try row.note())
    }
}

extension LogShard {
    init(_ row: Row) throws {
        guard let origin = TextLine(try row.get("origin", as: String.self)) else {
            throw MalformedLogRow(description: "a log's origin is no line of text")
        }
        let reason = try row.getOptional("frozen_reason", as: String.self)
        // A reason that only a later version knows freezes the log as well.
        let freeze = try reason.map { word in
            Freeze(Freeze.Reason(rawValue: word) ?? .databaseDamaged, try row.getOptional("frozen_detail", as: String.self) ?? word)
        }
        self.init(
            origin: origin, shard: try row.get("shard"), key: try VerifierKey(try row.get("log_key", as: String.self)),
            head: try TreeHead(row),
            publishedSize: UInt64(max(0, try row.get("published_size", as: Int64.self))),
            next: try row.getOptional("next_key", as: String.self).map { try VerifierKey($0) },
            endIndex: try row.getOptional("end_index", as: Int64.self).map { UInt64(max(0, $0)) }, freeze: freeze)
    }
}

extension PendingLeaf {
    init(_ row: Row) throws {
        let bytes = try row.get("commitment", as: [UInt8].self)
        guard let kind = LogLeaf.Kind(rawValue: try row.get("kind", as: String.self)), let commitment = ContentDigest(bytes: bytes),
            let subject = LogSubject(bytes: try row.get("subject", as: [UInt8].self))
        else { throw MalformedLogRow(description: "a pending statement is malformed") }
        self.init(
            id: try row.get("id"), leaf: .entry(kind: kind, time: try row.get("time"), subject: subject, commitment: commitment),
            commitment: bytes, isLogged: try row.get("is_logged"))
    }
}
