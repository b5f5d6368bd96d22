import CaptureProtocol
import Delivery
import Foundation
import Logging
import Models
import Persistence
import TestSupport
import Testing
import TransparencyLog

@testable import TransparencyLogService

@Suite("The log's tables, in memory and in PostgreSQL")
struct LogRepositoryTests {
    private static func key() throws -> SignerKey {
        try SignerKey(name: TextLine("rial.example/log/2026")!, kind: .log, seed: TestKeys.seed("log"))
    }

    private static func frontier(_ repository: any LogRepository, _ shard: LogShard) async throws -> MerkleFrontier {
        var frontier = MerkleFrontier()
        for leaf in try await repository.leaves(0..<shard.head.size, of: shard.origin) { frontier.append(MerkleHash.leaf(leaf)) }
        return frontier
    }

    private static func note(_ shard: LogShard) throws -> SignedNote {
        try SignedNote(text: shard.checkpoint.text, signatures: [key().sign(shard.checkpoint.text)])
    }

    @Test("one session has the lock until it ends; then it can write nothing more", arguments: TestLog.available)
    func lock(kind: TestLog) async throws {
        try await kind.with(Self.key().verifier) { log in
            let first = try #require(try await log.repository.lead())
            #expect(try await log.repository.lead() == nil)
            let shard = try #require(try await first.openShard())
            try await log.add(LogRig.leaf(1), nil)
            try await log.endSessions()
            var second: (any LogSession)?
            try await waitUntil("the lock is free") {
                second = try await log.repository.lead()
                return second != nil
            }
            let edge = try await Self.frontier(log.repository, shard)
            await #expect(throws: PostgresError.self) {
                _ = try await first.sequence(shard, edge: edge, limit: 10, at: .now, reached: {})
            }
            await #expect(throws: PostgresError.self) { try await first.beat() }
            try await second?.beat()
            #expect(try await second?.openShard() == shard)
            await second?.close()
            await first.close()
        }
    }

    @Test("enters what is due in order, with its checkpoint, and drops what has an entry", arguments: TestLog.available)
    func sequence(kind: TestLog) async throws {
        try await kind.with(Self.key().verifier) { log in
            let session = try #require(try await log.repository.lead())
            let shard = try #require(try await session.openShard())
            let now = Date()
            for number in 0..<5 { try await log.add(LogRig.leaf(number), nil) }
            for number in 10..<20 { try await log.add(LogRig.leaf(number), now.addingTimeInterval(-1)) }
            try await log.add(LogRig.leaf(30), now.addingTimeInterval(100))
            let standing = try await log.repository.standing(at: now.addingTimeInterval(1))
            #expect(standing.pending == 15 && standing.shard == shard && standing.oldestSeconds > 0 && standing.oldestSeconds < 60)
            let opened = try #require(standing.openedAt)
            #expect(abs(opened.timeIntervalSince(now)) < 60 && standing.stampedAt == nil && !standing.isFrozen)
            let edge = try await Self.frontier(log.repository, shard)
            // What fails before the commit changes nothing.
            await #expect(throws: Killed.self) {
                _ = try await session.sequence(shard, edge: edge, limit: 100, at: now, reached: { throw Killed() })
            }
            #expect(try await session.openShard() == shard)
            let first = try #require(try await session.sequence(shard, edge: edge, limit: 12, at: now, reached: {}))
            #expect(first.head.size == 13 && first.publishedSize == 0)
            #expect(try await session.openShard() == first)
            await #expect(throws: SequencerHalt.self) { _ = try await session.sequence(shard, edge: edge, limit: 12, at: now, reached: {}) }
            let leaves = try await session.leaves(0..<100, of: shard.origin)
            let held = (10..<20).map(LogRig.leaf).sorted { $0.commitmentBytes.lexicographicallyPrecedes($1.commitmentBytes) }
            #expect(
                leaves == [LogLeaf.shard(previous: nil, head: .empty)].map(\.bytes)
                    + ((0..<5).map(LogRig.leaf) + held.prefix(7)).map(\.bytes))
            #expect(try await log.repository.leaves(3..<5, of: shard.origin) == Array(leaves[3..<5]))
            #expect(try await Self.frontier(log.repository, first).head == first.head)
            let checkpoint = try #require(try await session.checkpoint(of: 13, shard.origin))
            #expect(checkpoint.head == first.head && checkpoint.text == first.checkpoint.text && checkpoint.note == nil)
            // It comes again after it has its entry.
            try await log.add(LogRig.leaf(2), nil)
            let again = try await Self.frontier(log.repository, first)
            let second = try #require(try await session.sequence(first, edge: again, limit: 100, at: now, reached: {}))
            #expect(second.head.size == 16)
            #expect(try await log.pending() == 1)
            let none = try await Self.frontier(log.repository, second)
            #expect(try await session.sequence(second, edge: none, limit: 100, at: now, reached: {}) == nil)
            try await log.add(LogRig.leaf(3), nil)
            #expect(try await session.sequence(second, edge: none, limit: 100, at: now, reached: {}) == nil)
            #expect(try await log.pending() == 1)
            await session.close()
        }
    }

    @Test("what states a time to come is not due until a minute before, and overdue only from then on", arguments: TestLog.available)
    func ahead(kind: TestLog) async throws {
        try await kind.with(Self.key().verifier) { log in
            let session = try #require(try await log.repository.lead())
            let shard = try #require(try await session.openShard())
            let edge = try await Self.frontier(log.repository, shard)
            let stated = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 3600).rounded())
            try await log.add(LogRig.stated(1, at: stated), nil)
            let (early, due) = (stated.addingTimeInterval(-61), stated.addingTimeInterval(-60))
            let before = try await log.repository.standing(at: early)
            #expect(before.pending == 0 && before.oldestSeconds == 0)
            #expect(try await session.sequence(shard, edge: edge, limit: 9, at: early, reached: {}) == nil)
            let since = try await log.repository.standing(at: due.addingTimeInterval(5))
            #expect(since.pending == 1 && since.oldestSeconds == 5)
            #expect(try await session.sequence(shard, edge: edge, limit: 9, at: due, reached: {})?.head.size == 2)
            #expect(try await log.pending() == 0)
            await session.close()
        }
    }

    @Test("publishes the committed tree once, with its cosignatures", arguments: TestLog.available)
    func publish(kind: TestLog) async throws {
        try await kind.with(Self.key().verifier) { log in
            let session = try #require(try await log.repository.lead())
            let shard = try #require(try await session.openShard())
            let witness = try SignerKey(name: TextLine("witness.example/w")!, kind: .witness, seed: TestKeys.seed("w"))
            let other = try SignerKey(name: TextLine("witness.example/x")!, kind: .witness, seed: TestKeys.seed("x"))
            func kept(_ seconds: UInt64, by key: SignerKey? = nil) throws -> KeptCosignature {
                KeptCosignature(signature: try (key ?? witness).cosign(shard.checkpoint.text, at: seconds), seconds: seconds)
            }
            await #expect(throws: Killed.self) {
                try await session.publish(shard, note: Self.note(shard), cosignatures: [], at: .now, reached: { throw Killed() })
            }
            #expect(try await session.openShard() == shard)
            let publishedAt = Date(timeIntervalSince1970: 1_793_534_300)
            try await session.publish(shard, note: Self.note(shard), cosignatures: [kept(1000)], at: publishedAt, reached: {})
            var published = shard
            published.publishedSize = 1
            #expect(try await session.openShard() == published)
            #expect(try await session.checkpoint(of: 1, shard.origin)?.note == Self.note(shard))
            await #expect(throws: SequencerHalt.self) {
                try await session.publish(shard, note: Self.note(shard), cosignatures: [], at: .now, reached: {})
            }
            #expect(try await log.repository.cosignatures(of: 1, shard.origin) == [kept(1000)])
            try await log.repository.keep([], of: 1, shard.origin)
            try await log.repository.keep([kept(2000), kept(1500, by: other)], of: 1, shard.origin)
            try await log.repository.keep([kept(1900), kept(1400, by: other)], of: 1, shard.origin)
            let newest = try [kept(2000), kept(1500, by: other)]
            #expect(try await log.repository.cosignatures(of: 1, shard.origin) == newest)
            let stampable = try await log.repository.stampable(shard.origin, limit: 10)
            #expect(stampable.candidates.map(\.head) == [shard.head] && stampable.stampedAt == nil)
            #expect(stampable.candidates.map(\.cosignatures) == [newest])
            let time = Date(timeIntervalSince1970: 1_793_534_400)
            try await log.repository.keepToken([1, 2], at: time, of: 1, shard.origin)
            let stamped = try await log.repository.stampable(shard.origin, limit: 10)
            #expect(stamped.candidates.isEmpty && stamped.stampedAt == time)
            let standing = try await log.repository.standing(at: time)
            #expect(standing.publishedAt == publishedAt && standing.stampedAt == time)
            let sweepable = try await log.repository.sweepable(shard.origin, before: .distantFuture)
            #expect(sweepable == (0, 1))
            try await log.repository.noteSwept(shard.origin, size: 1)
            #expect(try await log.repository.sweepable(shard.origin, before: .distantPast) == (1, 0))
            try await log.repository.noteScrubbed(shard.origin, blocks: 7, isWhole: true, at: time)
            #expect(try await log.repository.scrubbed(shard.origin) == 7)
            await session.close()
        }
    }

    @Test("a shard whose last leaf is published is open until it is closed", arguments: TestLog.available)
    func end(kind: TestLog) async throws {
        try await kind.with(Self.key().verifier) { log in
            let session = try #require(try await log.repository.lead())
            let opened = try #require(try await session.openShard())
            try await session.publish(opened, note: Self.note(opened), cosignatures: [], at: .now, reached: {})
            let next = try SignerKey(name: TextLine("rial.example/log/2027")!, kind: .log, seed: TestKeys.seed("next")).verifier
            try await log.close(next)
            let shard = try #require(try await session.openShard())
            await #expect(throws: SequencerHalt.self) { try await session.end(shard, at: .now) }
            let edge = try await Self.frontier(log.repository, shard)
            let ended = try #require(try await session.sequence(shard, edge: edge, limit: 10, at: .now, reached: {}))
            #expect(ended.next == next && ended.endIndex == 1)
            try await session.publish(ended, note: Self.note(ended), cosignatures: [], at: .now, reached: {})
            let published = try #require(try await session.openShard())
            #expect(published.publishedSize == 2 && published.endIndex == 1)
            try await log.repository.keepToken([1], at: .now, of: 2, opened.origin)
            try await session.end(published, at: .now)
            #expect(try await session.openShard() == nil)
            // The times are those of the open shard.
            let standing = try await log.repository.standing(at: .now)
            #expect(standing.shard == nil && standing.openedAt == nil && standing.publishedAt == nil && standing.stampedAt == nil)
            #expect(try await log.repository.shards() == [published])
            await #expect(throws: SequencerHalt.self) { try await session.end(published, at: .now) }
            await session.close()
        }
    }

    @Test("freezes once, and writes nothing more", arguments: TestLog.available)
    func freeze(kind: TestLog) async throws {
        try await kind.with(Self.key().verifier) { log in
            let session = try #require(try await log.repository.lead())
            let shard = try #require(try await session.openShard())
            let freeze = Freeze(.tileDiffers, "tile/0/000")
            #expect(try await log.repository.freeze(shard.origin, freeze, at: .now))
            #expect(try await !log.repository.freeze(shard.origin, Freeze(.forked, "later"), at: .now))
            #expect(try await log.repository.openShard()?.freeze == freeze)
            await #expect(throws: PostgresError.self) { try await log.repository.noteSwept(shard.origin, size: 1) }
            await #expect(throws: PostgresError.self) {
                try await log.repository.noteScrubbed(shard.origin, blocks: 1, isWhole: false, at: .now)
            }
            try await log.add(LogRig.leaf(1), nil)
            let edge = try await Self.frontier(log.repository, shard)
            await #expect(throws: SequencerHalt.self) { _ = try await session.sequence(shard, edge: edge, limit: 9, at: .now, reached: {}) }
            await #expect(throws: SequencerHalt.self) {
                try await session.publish(shard, note: Self.note(shard), cosignatures: [], at: .now, reached: {})
            }
            #expect(try await log.pending() == 1)
            await session.close()
        }
    }

    @Test("puts back a row that was entered so, and no other", arguments: TestLog.available)
    func mend(kind: TestLog) async throws {
        try await kind.with(Self.key().verifier) { log in
            let session = try #require(try await log.repository.lead())
            let shard = try #require(try await session.openShard())
            try await log.add(LogRig.leaf(1), nil)
            let edge = try await Self.frontier(log.repository, shard)
            _ = try await session.sequence(shard, edge: edge, limit: 9, at: .now, reached: {})
            let leaf = LogRig.leaf(1).bytes
            #expect(try await !log.repository.mend(leaf, at: 1, of: shard.origin), "nothing is damaged")
            #expect(try await !log.repository.mend(LogRig.leaf(2).bytes, at: 1, of: shard.origin))
            var damaged = leaf
            damaged[20] ^= 1
            try await log.damage(1, damaged)
            #expect(try await log.repository.leaves(1..<2, of: shard.origin) == [damaged])
            #expect(try await !log.repository.mend(LogRig.leaf(2).bytes, at: 1, of: shard.origin))
            #expect(try await log.repository.mend(leaf, at: 1, of: shard.origin))
            #expect(try await log.repository.leaves(1..<2, of: shard.origin) == [leaf])
            await session.close()
        }
    }
}

extension LogRepositoryTests {
    @Test("is put back to the proved tree; what is not in it waits again, unless it is damaged", arguments: TestLog.available)
    func recovery(kind: TestLog) async throws {
        try await kind.with(Self.key().verifier) { log in
            let session = try #require(try await log.repository.lead())
            let shard = try #require(try await session.openShard())
            try await session.publish(shard, note: Self.note(shard), cosignatures: [], at: .now, reached: {})
            for number in 0..<6 { try await log.add(LogRig.leaf(number), nil) }
            let published = try #require(try await session.openShard())
            let edge = try await Self.frontier(log.repository, published)
            let first = try #require(try await session.sequence(published, edge: edge, limit: 3, at: .now, reached: {}))
            let leaves = try await session.leaves(0..<4, of: shard.origin)
            let more = try await Self.frontier(log.repository, first)
            let second = try #require(try await session.sequence(first, edge: more, limit: 3, at: .now, reached: {}))
            #expect(second.head.size == 7)
            try await session.freeze(second, Freeze(.databaseDamaged, "row 2"), at: .now)
            await session.close()
            // Of the signed tree a row is another; of those that nobody signed one is damaged.
            for index in [UInt64(2), 5] {
                var damaged = try await log.repository.leaves(index..<index + 1, of: shard.origin)[0]
                damaged[20] ^= 1
                try await log.damage(index, damaged)
            }
            let recovery = try await log.recovery()
            let frozen = try #require(try await recovery.openShard())
            #expect(try await recovery.published(shard.origin, limit: 5).map(\.head) == [shard.head])
            let proved = ProvedTree(shard: frozen, head: first.head, note: try Self.note(first), publishedSize: 1, next: nil)
            #expect(try await recovery.replace(proved) { Array(leaves[Int($0.lowerBound)..<Int($0.upperBound)]) } == 2)
            #expect(try await log.repository.leaves(0..<100, of: shard.origin) == leaves)
            #expect(try await log.pending() == 2)
            var open = first
            open.publishedSize = 1
            #expect(try await log.repository.openShard() == open)
            let restored = try await log.repository.checkpoint(of: 4, shard.origin)
            #expect(restored?.text == first.checkpoint.text && restored?.note == nil)
            #expect(try await log.repository.checkpoint(of: 7, shard.origin) == nil)
            if let postgres = recovery as? PostgresRecoveryRepository { await postgres.connection.close() }
        }
    }
}

extension LogRepositoryTests {
    @Test("of a proved tree that is published, a damaged note is replaced", arguments: TestLog.available)
    func damagedNote(kind: TestLog) async throws {
        try await kind.with(Self.key().verifier) { log in
            let session = try #require(try await log.repository.lead())
            let shard = try #require(try await session.openShard())
            let leaves = try await session.leaves(0..<1, of: shard.origin)
            try await session.publish(shard, note: Self.note(shard), cosignatures: [], at: .now, reached: {})
            await session.close()
            let damaged = try Self.note(shard).falsified(for: shard.key)
            try await log.damageNote(1, String(decoding: damaged.bytes, as: UTF8.self))
            #expect(try await log.repository.checkpoint(of: 1, shard.origin)?.note == damaged)
            let recovery = try await log.recovery()
            let published = try #require(try await recovery.openShard())
            let proved = ProvedTree(shard: published, head: shard.head, note: try Self.note(shard), publishedSize: 1, next: nil)
            #expect(try await recovery.replace(proved) { Array(leaves[Int($0.lowerBound)..<Int($0.upperBound)]) } == 0)
            #expect(try await log.repository.checkpoint(of: 1, shard.origin)?.note == Self.note(shard))
            #expect(try await log.repository.openShard() == published)
            if let postgres = recovery as? PostgresRecoveryRepository { await postgres.connection.close() }
        }
    }

    @Test(
        "what is no note any more is read as none, and as a checkpoint that is published; no time stamp is asked for it",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"),
        arguments: ["x", "a text\n\n- not.a/dash AAAAAAAA\n", "a text\n\n\u{2014} no.line/feed AAAAAAAA"])
    func unreadableNote(text: String) async throws {
        try await TestLog.postgres.with(Self.key().verifier) { log in
            let session = try #require(try await log.repository.lead())
            let shard = try #require(try await session.openShard())
            try await session.publish(shard, note: Self.note(shard), cosignatures: [], at: .now, reached: {})
            try await log.damageNote(1, text)
            let unread = CommittedCheckpoint(head: shard.head, text: shard.checkpoint.text, note: nil)
            #expect(try await session.checkpoint(of: 1, shard.origin) == unread)
            #expect(try await log.repository.stampable(shard.origin, limit: 10).candidates.isEmpty)
            await session.close()
            let recovery = try await log.recovery()
            #expect(try await recovery.published(shard.origin, limit: 5) == [unread])
            if let postgres = recovery as? PostgresRecoveryRepository { await postgres.connection.close() }
        }
    }

    @Test("a kept line that is no cosignature any more is none", arguments: ["x", "\u{2014} witness.example/w AAAAAAAA", ""])
    func unreadableCosignature(line: String) {
        #expect(KeptCosignature(line: line) == nil)
    }
}

extension LogLeaf {
    var commitmentBytes: [UInt8] {
        guard case .entry(_, _, _, let commitment) = self else { return [] }
        return commitment.bytes
    }
}
