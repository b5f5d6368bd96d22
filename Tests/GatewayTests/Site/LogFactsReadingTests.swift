import Foundation
import Site
import TestSupport
import Testing

@testable import Gateway

@Suite("The log's facts, in memory and from PostgreSQL")
struct LogFactsReadingTests {
    private static let start = Date(timeIntervalSince1970: 1_793_534_400)
    private static let root = [UInt8](repeating: 7, count: 32)
    private static let (newest, last) = ("rial.example/log/2026", "rial.example/log/2025")

    /// Runs a test over the facts of a log with these rows.
    private func with(
        _ backend: Backend, _ rows: LogFactsRows = LogFactsRows(), _ body: @Sendable (any LogFactsReading) async throws -> Void
    ) async throws {
        switch backend {
        case .memory: try await body(MemoryLogFacts(rows: rows))
        case .postgres:
            try await SiteDatabase.with { database in
                try await rows.insert(in: database.pool)
                try await body(PostgresLogFactsReading(database: database.pool))
            }
        }
    }

    @Test("there are none before the first shard is opened, and the page says so", arguments: Backend.available)
    func none(backend: Backend) async throws {
        try await with(backend) { log in
            let facts = try await log.facts()
            let html = try await TestSite(log: log).get("/log").text()
            #expect(facts == LogFacts(shards: []) && html.contains("There is no log here yet."))
        }
    }

    @Test(
        "the newest published checkpoint counts, with the last cosignature of each witness, and the newest shard comes first",
        arguments: Backend.available)
    func shards(backend: Backend) async throws {
        let later = Self.start.addingTimeInterval(60)
        let rows = LogFactsRows(
            shards: [
                .init(origin: Self.last, key: "key 2025", openedAt: Self.start.addingTimeInterval(-100), closedAt: Self.start),
                .init(origin: Self.newest, key: "key 2026", previous: Self.last, openedAt: Self.start),
            ],
            checkpoints: [
                .init(origin: Self.last, size: 9, root: Self.root, publishedAt: Self.start),
                .init(origin: Self.newest, size: 1, root: Self.root, publishedAt: Self.start),
                .init(origin: Self.newest, size: 2, root: Self.root, publishedAt: later),
                // Committed and not yet published: nobody has seen it.
                .init(origin: Self.newest, size: 3, root: Self.root, publishedAt: nil),
            ],
            cosignatures: [
                .init(origin: Self.newest, size: 1, witness: "w1", at: later),
                .init(origin: Self.newest, size: 2, witness: "w2", at: later),
                .init(origin: Self.newest, size: 2, witness: "w1", at: later, renewedAt: later.addingTimeInterval(30)),
            ])
        try await with(backend, rows) { log in
            let facts = try await log.facts()
            #expect(facts.shards.map(\.origin) == [Self.newest, Self.last])
            #expect(facts.shards.map(\.key) == ["key 2026", "key 2025"] && facts.shards.map(\.previous) == [Self.last, nil])
            let witnesses = [LogFacts.Witness(name: "w2", at: later), .init(name: "w1", at: later.addingTimeInterval(30))]
            #expect(
                facts.shards.map(\.published) == [
                    .init(size: 2, root: Self.root, at: later, witnesses: witnesses),
                    .init(size: 9, root: Self.root, at: Self.start, witnesses: []),
                ])
            #expect(facts.shards.map(\.state) == [.open, .closed(Self.start)])
        }
    }

    @Test("a log that stands still says since when", arguments: Backend.available)
    func frozen(backend: Backend) async throws {
        let shard = LogFactsRows.Shard(origin: Self.newest, key: "key", openedAt: Self.start, frozenAt: Self.start)
        try await with(backend, LogFactsRows(shards: [shard])) { log in
            let facts = try await log.facts()
            #expect(facts.shards.map(\.state) == [.frozen(Self.start)] && facts.shards.map(\.published) == [nil])
        }
    }

    @Test("one that is closed does not stand still, whether it is damaged or was given up", arguments: Backend.available)
    func closedAndFrozen(backend: Backend) async throws {
        let later = Self.start.addingTimeInterval(60)
        let rows = LogFactsRows(shards: [
            .init(
                origin: "rial.example/log/2024", key: "key 2024", openedAt: Self.start, closedAt: later, isGivenUp: true,
                frozenAt: Self.start),
            .init(origin: Self.last, key: "key 2025", openedAt: Self.start, closedAt: Self.start, frozenAt: later),
            .init(origin: Self.newest, key: "key 2026", previous: Self.last, openedAt: later),
        ])
        try await with(backend, rows) { log in
            let facts = try await log.facts()
            #expect(facts.shards.map(\.state) == [.open, .damaged(closed: Self.start, since: later), .givenUp(later)])
        }
    }
}
