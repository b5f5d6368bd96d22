import CaptureProtocol
import Delivery
import Foundation
import Logging
import Models
import TestSupport
import Testing
import TransparencyLog

@testable import TransparencyLogService

@Suite("Statements that wait for their entries, in memory and in PostgreSQL")
struct PendingRepositoryTests {
    private func with(_ kind: TestLog, _ body: @Sendable (TestLog.Opened) async throws -> Void) async throws {
        try await kind.with(try SignerKey(name: TextLine("rial.example/log/2026")!, kind: .log, seed: TestKeys.seed("log")).verifier, body)
    }

    private func context(_ event: EventID = EventID()) -> MessageContext {
        MessageContext(eventID: event, topic: .evidenceAssembled, logger: .quiet)
    }

    @Test("those of an announced capture wait in their order, and the same event adds none again", arguments: TestLog.available)
    func add(kind: TestLog) async throws {
        try await with(kind) { log in
            let (rows, pending) = (log.statements, log.statements.pending)
            let (capture, event) = (CaptureID(), EventID())
            let made = (0..<3).map { StatedLeaf(of: capture, sequence: $0, secondsAgo: 30 - $0) }
            for statement in [made[1], made[0], StatedLeaf(of: CaptureID())] { try await rows.make(statement) }
            try await pending.add(capture, answering: context(event))
            let first = try await rows.waiting()
            #expect(first == made[0...1].map(\.commitment))
            // Nobody's capture, and an event that was processed before.
            try await pending.add(CaptureID(), answering: context())
            try await rows.make(made[2])
            try await pending.add(capture, answering: context(event))
            #expect(try await rows.waiting() == first)
            try await pending.add(capture, answering: context())
            #expect(try await rows.waiting() == made.map(\.commitment))
        }
    }

    @Test("those that have an entry do not wait again", arguments: TestLog.available)
    func entered(kind: TestLog) async throws {
        try await with(kind) { log in
            let (rows, pending) = (log.statements, log.statements.pending)
            let capture = CaptureID()
            try await rows.make(StatedLeaf(of: capture, secondsAgo: 120))
            try await pending.add(capture, answering: context())
            let session = try #require(try await log.repository.lead())
            let shard = try #require(try await session.openShard())
            var edge = MerkleFrontier()
            for leaf in try await session.leaves(0..<shard.head.size, of: shard.origin) { edge.append(MerkleHash.leaf(leaf)) }
            let entered = try await session.sequence(shard, edge: edge, limit: 9, at: .now, reached: {})
            await session.close()
            #expect(entered?.head.size == 2)
            try await pending.add(capture, answering: context())
            let found = try await pending.lookThrough()
            #expect(found == 0)
            #expect(try await rows.waiting().isEmpty)
        }
    }

    @Test("those older than a minute are found without an event, and withheld ones at once", arguments: TestLog.available)
    func lookThrough(kind: TestLog) async throws {
        try await with(kind) { log in
            let (rows, pending) = (log.statements, log.statements.pending)
            let old = StatedLeaf(of: CaptureID(), secondsAgo: 70)
            let young = StatedLeaf(of: CaptureID(), secondsAgo: 10)
            // Its time is a midnight that is still to come.
            let withheld = StatedLeaf(of: CaptureID(), secondsAgo: -3600, notBefore: Date(timeIntervalSinceNow: 5400))
            for statement in [withheld, young, old] { try await rows.make(statement) }
            #expect(try await pending.lookThrough() == 2)
            #expect(try await rows.waiting() == [old.commitment, withheld.commitment])
            #expect(try await log.repository.standing(at: Date()).pending == 1, "the other may not be entered yet")
            #expect(try await pending.lookThrough() == 0)
            try await rows.ageStatements(by: 60)
            #expect(try await pending.lookThrough() == 1)
            #expect(try await rows.waiting().last == young.commitment)
        }
    }

    @Test("an event enters the withdrawal; the statements of before are found without one", arguments: TestLog.available)
    func withdrawn(kind: TestLog) async throws {
        try await with(kind) { log in
            let (rows, pending) = (log.statements, log.statements.pending)
            let capture = CaptureID()
            let own = StatedLeaf(of: capture, secondsAgo: 120)
            try await rows.make(own)
            try await rows.withdraw(capture)
            try await pending.add(capture, answering: context())
            let withdrawal = try await rows.waiting()
            #expect(withdrawal.count == 1 && withdrawal != [own.commitment])
            #expect(try await pending.lookThrough() == 1)
            #expect(try await rows.waiting() == withdrawal + [own.commitment])
        }
    }

    @Test("a withdrawal whose event is lost is found a minute later, and a withheld one at once", arguments: TestLog.available)
    func lostWithdrawal(kind: TestLog) async throws {
        try await with(kind) { log in
            let (rows, pending) = (log.statements, log.statements.pending)
            let (plain, withheld) = (CaptureID(), CaptureID())
            try await rows.make(StatedLeaf(of: plain, secondsAgo: 120))
            try await rows.make(StatedLeaf(of: withheld, secondsAgo: -3600, notBefore: Date(timeIntervalSinceNow: 5400)))
            for capture in [plain, withheld] { try await rows.withdraw(capture) }
            #expect(try await pending.lookThrough() == 3, "all but the withdrawal of now")
            #expect(try await log.repository.standing(at: Date()).pending == 1)
            try await rows.ageStatements(by: 70)
            #expect(try await pending.lookThrough() == 1)
        }
    }
}
