import Foundation
import ObjectStorage
import Persistence
import Synchronization
import TestSupport
import Testing
import TransparencyLog

@testable import TransparencyLogService

@Suite("The sequencer, killed and stopped")
struct SequencerKillTests {
    /// The point `led` is reached twice, as there is one restart without a fault.
    static let cases = SequencerPoint.allCases.flatMap { point in (1...(point == .led ? 2 : 4)).map { (point, $0) } }

    @Test("enters each statement once and forks never, killed at any point of any round", arguments: cases)
    func killed(point: SequencerPoint, round: Int) async throws {
        let rig = try LogRig()
        let trigger = Trigger(point, at: round)
        var sequencer = rig.sequencer(limit: 100) { if trigger.fires(at: $0) { throw Killed() } }
        var next = 0
        for batch in 1...5 {
            rig.add(next..<next + 70)
            // Announced again, some of them after they have their entry.
            rig.add(max(0, next - 40)..<next + 10)
            next += 70
            do {
                try await rig.drain(sequencer)
            } catch is Killed {
                rig.watch()
                rig.log.endSessions()
                sequencer = rig.sequencer(limit: 100) { if trigger.fires(at: $0) { throw Killed() } }
                try await rig.drain(sequencer)
            }
            if batch == 3 {
                // A restart without a fault.
                await sequencer.stepDown()
                sequencer = rig.sequencer(limit: 100) { if trigger.fires(at: $0) { throw Killed() } }
            }
        }
        try await rig.drain(sequencer)
        #expect(trigger.isSpent)
        try await rig.expectSound(0..<next)
    }

    @Test("closes a shard once its final checkpoint is stored, killed at any point of its last round", arguments: SequencerPoint.allCases)
    func killedAtEnd(point: SequencerPoint) async throws {
        let rig = try LogRig()
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        let next = try SignerKey(name: TextLine("rial.example/log/2027")!, kind: .log, seed: TestKeys.seed("next")).verifier
        rig.add(0..<70)
        rig.log.change { $0.shards[0].next = next }
        let trigger = Trigger(point, at: 1)
        let sequencer = rig.sequencer { if trigger.fires(at: $0) { throw Killed() } }
        await #expect(throws: Killed.self) { try await rig.drain(sequencer) }
        rig.log.endSessions()
        try await rig.drain(rig.sequencer())
        #expect(rig.log.rows.closed == [rig.origin])
        let validated = try rig.policy.validate(try SignedNote(try #require(rig.store.bytes(rig.objects.checkpointKey))))
        #expect(validated.checkpoint.size == 72 && validated.quorum != .missing)
        #expect(rig.log.rows.entries[rig.origin]?.count == 72 && rig.log.rows.entries[rig.origin]?.last == LogLeaf.end(next: next).bytes)
    }

    @Test("closes no shard whose final checkpoint the store does not take")
    func endNotStored() async throws {
        let rig = try LogRig()
        let sequencer = rig.sequencer()
        try await rig.drain(sequencer)
        let next = try SignerKey(name: TextLine("rial.example/log/2027")!, kind: .log, seed: TestKeys.seed("next")).verifier
        rig.log.change { $0.shards[0].next = next }
        let key = rig.objects.checkpointKey
        rig.store.refuse { $0.verb == .put && $0.key == key ? .unavailable : nil }
        for _ in 0..<3 {
            rig.advance(1)
            await #expect(throws: ObjectStorageError.self) { _ = try await sequencer.turn() }
        }
        #expect(rig.log.rows.shards[0].publishedSize == 2 && rig.log.rows.closed.isEmpty)
        rig.store.refuse { _ in nil }
        try await rig.drain(sequencer)
        #expect(rig.log.rows.closed == [rig.origin])
        let stored = try #require(rig.store.bytes(key).flatMap { PublishedCheckpoint($0, of: rig.log.rows.shards[0]) })
        #expect(stored.head.size == 2)
    }

    @Test("changes nothing when it wakes at any point, another one having led meanwhile", arguments: SequencerPoint.allCases)
    func woken(point: SequencerPoint) async throws {
        let rig = try LogRig()
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        let trigger = Trigger(point, at: 1)
        let stopped = rig.sequencer { reached in
            guard trigger.fires(at: reached) else { return }
            // The session of a stopped process ends.
            rig.log.endSessions()
            let other = rig.sequencer()
            rig.add(300..<700)
            try await rig.drain(other)
            await other.stepDown()
        }
        rig.add(0..<300)
        for _ in 0..<5 {
            rig.advance(1)
            _ = try? await stopped.turn()
            rig.watch()
        }
        #expect(trigger.isSpent)
        rig.log.endSessions()
        try await rig.drain(rig.sequencer())
        try await rig.expectSound(0..<700)
    }

    @Test("three at once, each killed now and then, write one log")
    func three() async throws {
        let rig = try LogRig()
        let dice = Dice(seed: 14)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { try await Self.lead(rig, dice, turns: 120) } }
            group.addTask {
                for number in 0..<600 {
                    rig.add([number, max(0, number - 7)])
                    if number.isMultiple(of: 5) { await Task.yield() }
                }
            }
            try await group.waitForAll()
        }
        try await rig.drain(rig.sequencer())
        try await rig.expectSound(0..<600)
    }

    /// Takes turns, dies now and then, and begins again.
    private static func lead(_ rig: LogRig, _ dice: Dice, turns: Int) async throws {
        func fresh() -> Sequencer {
            rig.sequencer(limit: 40) { _ in
                await Task.yield()
                if dice.isOne(of: 50) { throw Killed() }
            }
        }
        var sequencer = fresh()
        for _ in 0..<turns {
            rig.advance(1)
            do {
                _ = try await sequencer.turn()
            } catch is Killed {
                await sequencer.stepDown()
                sequencer = fresh()
            }
            await Task.yield()
        }
        await sequencer.stepDown()
    }

    @Test("goes on after any failure of the store, and keeps the lock")
    func storeFails() async throws {
        let rig = try LogRig()
        let sequencer = rig.sequencer(limit: 300)
        try await rig.drain(sequencer)
        var next = 0
        for failing in 1...12 {
            let left = Mutex(failing)
            rig.store.refuse { _ in
                left.withLock { left in
                    left -= 1
                    return left == 0 ? .unavailable : nil
                }
            }
            // A round may have fewer requests; then the next one fails.
            for _ in 0..<4 where left.withLock({ $0 > 0 }) {
                rig.add(next..<next + 40)
                next += 40
                rig.advance(1)
                _ = try? await sequencer.turn()
                rig.watch()
                #expect(await sequencer.isLeading)
            }
            let hasFailed = left.withLock { $0 <= 0 }
            #expect(hasFailed, "there were no \(failing) requests")
        }
        rig.store.refuse { _ in nil }
        try await rig.drain(sequencer)
        try await rig.expectSound(0..<next)
    }

    @Test("goes on after the database was away, with another session")
    func databaseFails() async throws {
        let rig = try LogRig()
        let sequencer = rig.sequencer()
        rig.add(0..<10)
        try await rig.drain(sequencer)
        rig.add(10..<20)
        rig.log.fail(true)
        rig.advance(1)
        await #expect(throws: PostgresError.self) { _ = try await sequencer.turn() }
        #expect(await !sequencer.isLeading)
        rig.log.fail(false)
        try await rig.drain(sequencer)
        try await rig.expectSound(0..<20)
    }
}
