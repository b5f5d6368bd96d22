import Foundation
import Persistence
import Site
import TestSupport
import Testing

@testable import Gateway

@Suite("The log's facts from the database", .enabled(if: SiteDatabase.isConfigured, SiteDatabase.hint))
struct LogFactsRepositoryTests {
    private static let start = Date(timeIntervalSince1970: 1_793_534_400)
    private static let root = [UInt8](repeating: 7, count: 32)

    @Test("there are none before the first shard is opened, and the page says so")
    func none() async throws {
        try await SiteDatabase.with { database in
            let repository = LogFactsRepository(database: database.pool)
            let facts = try await repository.facts()
            let html = try await TestSite(database: database.pool, log: repository).get("/log").text()
            #expect(facts == LogFacts(shards: []) && html.contains("There is no log here yet."))
        }
    }

    @Test("the newest published checkpoint counts, with the last cosignature of each witness, and the newest shard comes first")
    func shards() async throws {
        try await SiteDatabase.with { database in
            try await Self.insert(
                [
                    Self.shard("2026", size: 3, published: 2, openedAt: 0), Self.shard("2025", size: 9, published: 9, openedAt: -100),
                ], database)
            let later = Self.start.addingTimeInterval(60)
            // Committed and not yet published: nobody has seen it.
            for (size, time) in [(1, Self.start), (2, later), (3, nil)] as [(Int64, Date?)] {
                _ = try await database.pool.query(
                    """
                    INSERT INTO log_checkpoints (origin, size, root, body, note, published_at)
                    VALUES ('rial.example/log/2026', \(size), \(Self.root), 'body', \(time == nil ? nil : "note"), \(time))
                    """)
            }
            for (size, witness, renewed) in [(1, "w1", nil), (2, "w2", nil), (2, "w1", 30)] as [(Int64, String, Double?)] {
                _ = try await database.pool.query(
                    """
                    INSERT INTO log_cosignatures (origin, size, witness, key_id, line, cosigned_at, renewed_line, renewed_at)
                    VALUES ('rial.example/log/2026', \(size), \(witness), '00000001', 'line', \(later),
                        \(renewed.map { _ in "line" }), \(renewed.map(later.addingTimeInterval)))
                    """)
            }
            let facts = try await LogFactsRepository(database: database.pool).facts()
            #expect(facts.shards.map(\.origin) == ["rial.example/log/2026", "rial.example/log/2025"])
            #expect(facts.shards.map(\.key) == ["key 2026", "key 2025"] && facts.shards.map(\.previous) == ["rial.example/log/2025", nil])
            let witnesses = [LogFacts.Witness(name: "w2", at: later), .init(name: "w1", at: later.addingTimeInterval(30))]
            #expect(facts.shards.map(\.published) == [.init(size: 2, root: Self.root, at: later, witnesses: witnesses), nil])
            #expect(facts.shards.map(\.state) == [.open, .closed(Self.start)])
        }
    }

    @Test("a log that stands still says since when")
    func frozen() async throws {
        try await SiteDatabase.with { database in
            try await Self.insert([Self.shard("2026", size: 0, published: 0, openedAt: 0)], database)
            _ = try await database.pool.query(
                "UPDATE log_shards SET frozen_reason = 'forked', frozen_at = \(Self.start) WHERE shard = '2026'")
            let facts = try await LogFactsRepository(database: database.pool).facts()
            #expect(facts.shards.map(\.state) == [.frozen(Self.start)] && facts.shards.map(\.published) == [nil])
        }
    }

    private struct Shard {
        let name: String
        let size: Int64
        let published: Int64
        let openedAt: Date
    }

    private static func shard(_ name: String, size: Int64, published: Int64, openedAt seconds: Double) -> Shard {
        Shard(name: name, size: size, published: published, openedAt: start.addingTimeInterval(seconds))
    }

    /// The newest first; all but that are closed, and each follows the one before it.
    private static func insert(_ shards: [Shard], _ database: SiteDatabase) async throws {
        for (index, shard) in shards.enumerated().reversed() {
            let previous = index + 1 < shards.count ? "rial.example/log/\(shards[index + 1].name)" : nil
            let isClosed = index > 0
            _ = try await database.pool.query(
                """
                INSERT INTO log_shards (origin, shard, log_key, previous, size, root, published_size, opened_at, next_key, end_index, closed_at)
                VALUES (\("rial.example/log/\(shard.name)"), \(shard.name), \("key \(shard.name)"), \(previous), \(shard.size), \(root),
                    \(shard.published), \(shard.openedAt), \(isClosed ? "key" : nil), \(isClosed ? shard.size - 1 : nil),
                    \(isClosed ? start : nil))
                """)
        }
    }
}
