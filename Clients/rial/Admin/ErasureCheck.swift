import CaptureProtocol
import Foundation
import Models
import Persistence

/// Finds what the tables know of a withdrawn capture, in whatever tables there are: one that a later version adds is looked through too.
struct ErasureCheck {
    // SQL of its own: it compares from outside, and finds what every repository has forgotten.
    /// Columns of `captures` that stay.
    private static let kept = ["id", "short_id", "device_id", "type", "capture_mode", "status", "withdrawn_at", "captured_precision"]
    /// Tables with what stays, apart from `captures`: the used counter, and the trace of the withdrawal.
    private static let keeping = ["captures", "assertion_counters", "withdrawals"]
    /// What is public of the log, and grows for ever: commitments, roots and signatures, but nothing that names a capture (SPEC §14).
    private static let published = ["log_entries", "log_checkpoints", "log_cosignatures"]
    let connection: PostgresConnection
    let capture: CaptureID

    /// Where something is left, and what.
    /// - Throws: ``CommandFailure`` if there is no such capture or it is not withdrawn.
    func left() async throws -> [(String, String)] {
        let status = try await CaptureRows(connection: connection).status(of: capture)
        guard status == CaptureStatus.withdrawn.rawValue else {
            throw CommandFailure("Capture \(capture) is not withdrawn, but \(status).")
        }
        var left = try await columns()
        for (table, hasColumn) in try await tables() {
            let count = try await count(in: table, byColumn: hasColumn)
            if count > 0 { left.append((table, count == 1 ? "1 row" : "\(count) rows")) }
        }
        return left
    }

    /// Where what is left of its bytes would be in the bucket.
    func prefixes() async throws -> [String] {
        let uploads = try await connection.query(
            "SELECT unnest(upload_ids) AS id FROM withdrawals WHERE capture_id = \(capture.uuid)")
        return try [ObjectPrefix.capture(capture), ObjectPrefix.incoming(capture.uuid)]
            + uploads.map { ObjectPrefix.incoming(try $0.get("id", as: UUID.self)) }
    }

    private func columns() async throws -> [(String, String)] {
        try await connection.query(
            """
            SELECT key FROM captures CROSS JOIN jsonb_each(to_jsonb(captures))
            WHERE id = \(capture.uuid) AND value <> 'null' AND key <> ALL(\(Self.kept)) ORDER BY key
            """
        ).map { ("captures", try $0.get("key", as: String.self)) }
    }

    private func tables() async throws -> [(name: String, hasColumn: Bool)] {
        try await connection.query(
            """
            SELECT relname::text AS name, EXISTS (SELECT FROM pg_attribute
                WHERE attrelid = pg_class.oid AND attname = 'capture_id' AND NOT attisdropped) AS has_column
            FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
                AND relname <> ALL(\(Self.keeping + Self.published))
            ORDER BY relname
            """
        ).map { (try $0.get("name", as: String.self), try $0.get("has_column", as: Bool.self)) }
    }

    /// By the column, where the table has one; else any mention of the id counts, but those of the withdrawal itself: its event, and that
    /// to the log, whose status says so.
    private func count(in table: String, byColumn hasColumn: Bool) async throws -> Int64 {
        let name = "\"" + table.replacing("\"", with: "\"\"") + "\""
        let rows =
            hasColumn
            ? try await connection.query("SELECT count(*) AS count FROM \(unescaped: name) WHERE capture_id = \(capture.uuid)")
            : try await connection.query(
                """
                SELECT count(*) AS count FROM \(unescaped: name) AS found
                WHERE strpos(found::text, \(capture.description)) > 0 AND strpos(found::text, 'rial.capture.withdrawn.v1') = 0
                    AND strpos(found::text, encode('"withdrawn"', 'hex')) = 0
                """)
        return try rows.first?.get("count", as: Int64.self) ?? 0
    }
}
