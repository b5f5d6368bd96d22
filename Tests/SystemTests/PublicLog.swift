import CaptureProtocol
import Foundation
import TestSupport
import Testing
import TransparencyLog

/// The stack's public log, as anybody can read it.
struct PublicLog: Sendable {
    /// In the order of their indexes; each is in the one form that leaves have.
    let leaves: [LogLeaf]
    /// The bodies of everything that is served of it: checkpoint, entries, tiles, policy and page.
    let files: [[UInt8]]

    init(_ stack: LocalStack) async throws {
        let client = TestClient(url: stack.url)
        let prefix = String(try #require(stack.addresses["RIAL_LOG_PREFIX"]).dropFirst(stack.url.count))
        func read(_ path: String) async throws -> [UInt8] {
            let answer = try await client.send("GET", path)
            try #require(answer.status == 200, "\(path)")
            return answer.body
        }
        let checkpoint = try await read(prefix + "checkpoint")
        var (files, leaves) = ([checkpoint, try await read("/log/policy"), try await read("/log")], [LogLeaf]())
        for tile in Tile.added(from: 0, to: try Checkpoint(text: SignedNote(checkpoint).text).size) {
            let bytes = try await read(prefix + tile.path)
            files.append(bytes)
            guard tile.kind == .entries else { continue }
            leaves += try EntryBundle(bytes, of: tile).entries.map { try LogLeaf(bytes: $0) }
        }
        self.leaves = leaves
        self.files = files
    }

    /// What it says of one capture.
    func entries(of subject: LogSubject) -> [LoggedFact] { entries.filter { $0.subject == subject } }

    var entries: [LoggedFact] {
        leaves.compactMap { leaf in
            guard case .entry(let kind, let time, let subject, let commitment) = leaf else { return nil }
            return LoggedFact(kind: kind, time: time, subject: subject, commitment: commitment)
        }
    }
}

/// An entry that is about a capture.
struct LoggedFact: Sendable, Equatable {
    let kind: LogLeaf.Kind
    let time: Int
    let subject: LogSubject
    let commitment: ContentDigest

    /// Tells no more than a day.
    var isMidnight: Bool { time.isMultiple(of: 86_400) }
}

extension TestClient {
    /// The public bundle of a capture, once its statements are in the log.
    func bundle(of id: String) async throws -> EvidenceBundle {
        var bundle: EvidenceBundle?
        try await eventually("capture \(id) is in the log") {
            let answer = try await send("GET", "\(Self.captures)/\(id)/bundle")
            guard answer.status == 200 else { return false }
            bundle = try EvidenceBundle(answer.body)
            return true
        }
        return try #require(bundle)
    }
}

extension LocalStack {
    /// Lets the log enter at once what it holds back until half an hour after the next midnight (SPEC §14 "Withheld times"). A test cannot
    /// wait for that, so it makes the statements those of the day before, as the database's owner; all else is left to the log. None of
    /// them may have a following one, which would name its commitment.
    /// - Parameter rows: which statements, in SQL.
    func enterHeldStatements(where rows: String) async throws {
        try await eventually("the log has the statements or waits with them") {
            try await sql(
                """
                SELECT count(*) FROM statements WHERE (\(rows)) AND commitment NOT IN (SELECT commitment FROM log_pending)
                    AND commitment NOT IN (SELECT commitment FROM log_entries WHERE commitment IS NOT NULL)
                """) == ["0"]
        }
        _ = try await sql(
            """
            WITH held AS (
                SELECT commitment AS known, time - 86400 AS midnight, convert_to(replace(convert_from(statement, 'UTF8'),
                    '"time":' || statements.time, '"time":' || (statements.time - 86400)), 'UTF8') AS content
                FROM statements WHERE not_before > now() AND (\(rows))
            ), moved AS (
                UPDATE statements SET time = midnight, not_before = date_trunc('day', now()), statement = content,
                    commitment = coalesce(sha256(convert_to(E'rial.statement/1\\n', 'UTF8') || salt || content), commitment)
                FROM held WHERE commitment = known RETURNING known, commitment, time, not_before
            )
            UPDATE log_pending SET commitment = moved.commitment, time = moved.time, not_before = moved.not_before
            FROM moved WHERE log_pending.commitment = known
            """)
        try await eventually("the log has the statements") {
            try await sql("SELECT count(*) FROM log_pending WHERE commitment IN (SELECT commitment FROM statements WHERE \(rows))") == ["0"]
        }
    }

    /// Byte strings that the query gives as hex, one a row.
    func bytes(_ query: String) async throws -> [[UInt8]] {
        try await sql(query).map { try #require(Hex.decode($0)) }
    }
}
