import CaptureProtocol
import Persistence
import TestSupport
import Testing
import TransparencyLog

@testable import RialCLI

@Suite("Shards of the log, in PostgreSQL", .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
struct LogShardsTests {
    /// Opens the shard 2026.
    /// - Parameter body: gets the shards, their connection, and the keys of 2026 and 2027.
    private func withOpenShard(
        _ body: @Sendable (LogShards, PostgresConnection, _ first: VerifierKey, _ next: VerifierKey) async throws -> Void
    ) async throws {
        let first = try PublishedLog.signer("rial.example/log/2026", .log).verifier
        let next = try PublishedLog.signer("rial.example/log/2027", .log).verifier
        try await TestSchema.withPools(prefix: "shards") { pools in
            try await pools[0].withConnection { connection in
                let shards = LogShards(connection: connection)
                try await shards.open("2026", key: first)
                try await body(shards, connection, first, next)
            }
        }
    }

    /// Opens a shard, publishes its first leaf or nothing, gives it up and opens the next one.
    /// - Parameter check: gets the shard that was given up, and leaf 0 of the next one.
    private func giveUp(published: Bool, _ check: @Sendable (LogShards.Shard, LogLeaf) throws -> Void) async throws {
        try await withOpenShard { shards, connection, _, next in
            if published {
                try await connection.query("UPDATE log_checkpoints SET note = body, published_at = now()")
                try await connection.query("UPDATE log_shards SET published_size = 1")
            }
            try await connection.query("UPDATE log_shards SET frozen_reason = 'database_damaged', frozen_at = now()")
            let frozen = try #require(try await shards.all().first)
            try await shards.giveUp(frozen)
            try await shards.open("2027", key: next)
            let rows = try await connection.query(
                "SELECT leaf FROM log_entries WHERE origin = \(next.name.text) AND leaf_index = 0")
            let leaf = try #require(try rows.first?.get("leaf", as: [UInt8].self))
            let givenUp = try #require(try await shards.all().first)
            try check(givenUp, try LogLeaf(bytes: leaf))
        }
    }

    @Test("one that is given up before anything was published ends as the empty tree, which the next one names")
    func nothingPublished() async throws {
        try await giveUp(published: false) { shard, leaf in
            #expect(shard.isClosed && shard.size == 0 && shard.root == MerkleHash.empty)
            let origin = try #require(TextLine(shard.origin))
            #expect(leaf == .shard(previous: origin, head: .empty))
        }
    }

    @Test("one that is given up later ends where it was published last")
    func published() async throws {
        try await giveUp(published: true) { shard, leaf in
            let head = TreeHead(size: 1, root: LogLeaf.shard(previous: nil, head: .empty).hash)
            #expect(shard.isClosed && shard.size == 1 && shard.root == head.root)
            let origin = try #require(TextLine(shard.origin))
            #expect(leaf == .shard(previous: origin, head: head))
        }
    }

    /// - Parameter damaged: the number of an entry of which a digit of its time has changed since it was entered.
    @Test("entries that were never published wait for the next one in their order, except damaged ones", arguments: [nil, 3])
    func order(damaged: Int?) async throws {
        try await withOpenShard { shards, connection, first, _ in
            try await connection.query("UPDATE log_checkpoints SET note = body, published_at = now()")
            let subject = try #require(LogSubject(bytes: [UInt8](repeating: 7, count: 16)))
            let commitments = (1...5).map { ContentDigest(of: [UInt8($0)]) }
            try await connection.execute(script: "ALTER TABLE log_entries DROP CONSTRAINT log_entries_hash")
            // Entered the other way round, so that the table's order is not theirs.
            for (index, commitment) in commitments.enumerated().reversed() {
                func leaf(_ time: Int) -> LogLeaf { .entry(kind: .assessment, time: time, subject: subject, commitment: commitment) }
                let (entered, stored) = (leaf(1_800_000_000), leaf(index + 1 == damaged ? 1_800_000_001 : 1_800_000_000))
                try await connection.query(
                    """
                    INSERT INTO log_entries (origin, leaf_index, leaf, leaf_hash, commitment)
                    VALUES (\(first.name.text), \(Int64(index + 1)), \(stored.bytes), \(entered.hash.bytes), \(commitment.bytes))
                    """)
            }
            try await connection.query(
                "UPDATE log_shards SET published_size = 1, size = 6, frozen_reason = 'database_damaged', frozen_at = now()")
            try await shards.giveUp(try #require(try await shards.all().first))
            let waiting = try await connection.query("SELECT commitment FROM log_pending ORDER BY id").map {
                try $0.get("commitment", as: [UInt8].self)
            }
            #expect(waiting == commitments.enumerated().filter { $0.offset + 1 != damaged }.map(\.element.bytes))
        }
    }

    @Test("one that is closed and stays damaged is given up as it is, and its last leaf is still there")
    func closed() async throws {
        try await withOpenShard { shards, connection, _, next in
            try await connection.query("UPDATE log_checkpoints SET note = body, published_at = now()")
            try await connection.query(
                """
                UPDATE log_shards SET published_size = 1, next_key = \(next.description), end_index = 0,
                    closed_at = '2026-12-31', frozen_reason = 'tile_differs', frozen_at = now()
                """)
            let frozen = try #require(try await shards.all().first)
            try await shards.giveUp(frozen)
            let row = try #require(
                try await connection.query(
                    """
                    SELECT end_index IS NULL AS is_given_up, closed_at = '2026-12-31' AS is_closed_as_before, size, root, next_key,
                        (SELECT count(*) FROM log_entries) AS entries
                    FROM log_shards
                    """
                ).first)
            #expect(try row.get("is_given_up", as: Bool.self) && row.get("is_closed_as_before", as: Bool.self))
            #expect(try row.get("size", as: Int64.self) == 1 && row.get("entries", as: Int64.self) == 1)
            #expect(
                try row.get("root", as: [UInt8].self) == frozen.root.bytes && row.get("next_key", as: String.self) == next.description)
            await #expect(throws: CommandFailure.self) { try await shards.giveUp(frozen) }
            let again = try #require(try await shards.all().first)
            #expect(again.next == next.description && again.isGivenUp, "what is published is not taken back")
        }
    }

    @Test("no two have one key, whatever its names")
    func sameKey() async throws {
        try await withOpenShard { shards, connection, first, next in
            func renamed(_ shard: String) throws -> VerifierKey {
                try VerifierKey(name: try #require(TextLine("rial.example/log/\(shard)")), kind: .log, publicKey: first.publicKey)
            }
            let same = try renamed("2027")
            let later = try renamed("2028")
            let open = try #require(try await shards.all().first)
            await #expect(throws: CommandFailure.self) { try await shards.close(open, next: same) }
            #expect(try await shards.all().first?.next == nil)
            try await shards.close(open, next: next)
            try await connection.query("UPDATE log_shards SET published_size = size, end_index = 0, closed_at = now()")
            try await connection.query("UPDATE log_checkpoints SET note = body, published_at = now()")
            try await shards.open("2027", key: next)
            let second = try #require(try await shards.all().last)
            await #expect(throws: CommandFailure.self) { try await shards.close(second, next: later) }
            try await connection.query(
                """
                UPDATE log_shards SET published_size = size, frozen_reason = 'forked', frozen_at = now(), closed_at = now()
                WHERE shard = '2027'
                """)
            await #expect(throws: CommandFailure.self) { try await shards.open("2028", key: later) }
        }
    }

    @Test(
        "one is not closed for a key with which none can be opened: of this shard or an earlier one, or whose name is no origin",
        arguments: [
            "rial.example/log/2026", "rial.example/log/2025", "other.example/log/2026", "rial.example/log/Next", "rial.example/log/",
            "rial.example/log/\(String(repeating: "7", count: 33))", "rial.example/log/2027/", "rial.example/2027", "/log/2027",
            "rial.example:8080/log/2027", "https://rial.example/log/2027", "2027",
        ])
    func unusableNext(name: String) async throws {
        let unused = try PublishedLog.signer("rial.example/log/unused", .log).verifier
        let key = try VerifierKey(name: try #require(TextLine(name)), kind: .log, publicKey: unused.publicKey)
        try await withOpenShard { shards, connection, _, _ in
            let earlier = try PublishedLog.signer("rial.example/log/2025", .log).verifier
            try await connection.query(
                """
                INSERT INTO log_shards (origin, shard, log_key, size, root, published_size, frozen_reason, frozen_at, opened_at, closed_at)
                VALUES (\(earlier.name.text), '2025', \(earlier.description), 0, \(MerkleHash.empty.bytes), 0, 'forked', now(),
                    '2025-01-01', now())
                """)
            let open = try #require(try await shards.all().last)
            await #expect(throws: CommandFailure.self) { try await shards.close(open, next: key) }
            #expect(try await shards.all().allSatisfy { $0.next == nil })
        }
    }

    @Test("one may be closed for a key of another host", arguments: ["other.example/log/2027", "127.0.0.1/log/2027", "::1/log/2027"])
    func movedHost(name: String) async throws {
        let next = try PublishedLog.signer(name, .log).verifier
        try await withOpenShard { shards, _, _, _ in
            try await shards.close(try #require(try await shards.all().last), next: next)
            #expect(try await shards.all().last?.next == next.description)
        }
    }

    @Test("one that is given up after its last leaf was published goes on with the key in it, and no other")
    func endPublished() async throws {
        let other = try PublishedLog.signer("rial.example/log/other", .log).verifier
        try await withOpenShard { shards, connection, _, next in
            try await connection.query("UPDATE log_checkpoints SET note = body, published_at = now()")
            try await connection.query(
                """
                UPDATE log_shards SET published_size = 1, next_key = \(next.description), end_index = 0,
                    frozen_reason = 'tile_differs', frozen_at = now()
                """)
            let frozen = try #require(try await shards.all().first)
            try await shards.giveUp(frozen)
            await #expect(throws: CommandFailure.self) { try await shards.open("other", key: other) }
            try await shards.open("2027", key: next)
        }
    }
}
