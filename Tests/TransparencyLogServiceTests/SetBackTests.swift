import CoreMetrics
import Foundation
import MetricsTestKit
import ObjectStorage
import TestSupport
import Testing
import TransparencyLog

@testable import TransparencyLogService

@Suite("A log that was set back")
struct SetBackTests {
    /// The points from which on something may have been seen under the log's signature.
    static let afterHead: Set<SequencerPoint> = [.head, .cosigned, .recorded, .published, .checkpoint]

    /// Rows as they were before the last round, which was killed at the point.
    private func interrupted(_ rig: LogRig, at point: SequencerPoint) async throws -> MemoryLog.Rows {
        rig.add(0..<300)
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        rig.add(300..<400)
        let before = rig.log.rows
        let trigger = Trigger(point, at: 1)
        let sequencer = rig.sequencer { if trigger.fires(at: $0) { throw Killed() } }
        await #expect(throws: Killed.self) { try await rig.drain(sequencer) }
        rig.watch()
        return before
    }

    /// Enters two hundred statements, and sets database and store back to the first hundred. Witnesses remember.
    private func setBack(_ rig: LogRig) async throws {
        rig.add(0..<100)
        let sequencer = rig.sequencer()
        try await rig.drain(sequencer)
        let (rows, objects) = (rig.log.rows, rig.store.snapshot)
        rig.add(100..<200)
        try await rig.drain(sequencer)
        rig.log.restore(rows)
        rig.store.restore(objects)
    }

    @Test("freezes if the database lost what was signed, else goes on", arguments: SequencerPoint.allCases)
    func database(point: SequencerPoint) async throws {
        // Without witnesses: the store alone remembers.
        let rig = try LogRig(witnesses: [])
        let before = try await interrupted(rig, at: point)
        rig.log.restore(before)
        let turn = try await rig.drain(rig.sequencer())
        if Self.afterHead.contains(point) {
            guard case .frozen(let freeze) = turn else {
                Issue.record("\(turn)")
                return
            }
            #expect(freeze.reason == .databaseBehind)
            #expect(rig.log.rows.shards[0].publishedSize == 301)
        } else {
            try await rig.expectSound(0..<400)
        }
    }

    @Test(
        "freezes if another batch of the same size follows what was signed, else overwrites what nobody signed",
        arguments: SequencerPoint.allCases)
    func anotherBatch(point: SequencerPoint) async throws {
        let rig = try LogRig(witnesses: [])
        var before = try await interrupted(rig, at: point)
        // The statements that were entered first come last now.
        before.pending = []
        before.waiting = []
        rig.log.restore(before)
        rig.add((300..<400).reversed())
        let turn = try await rig.drain(rig.sequencer())
        if Self.afterHead.contains(point) {
            #expect(turn == .frozen(rig.log.rows.shards[0].freeze ?? Freeze(.forked, "not frozen")))
        } else {
            try await rig.expectSound(0..<400)
        }
    }

    @Test("signs nothing more once it is frozen, and no restart changes that")
    func stays() async throws {
        let rig = try LogRig(witnesses: [])
        let before = try await interrupted(rig, at: .published)
        rig.log.restore(before)
        try await rig.drain(rig.sequencer())
        let keys = rig.store.keys
        for _ in 0..<3 {
            guard case .frozen = try await rig.drain(rig.sequencer()) else {
                Issue.record("not frozen")
                return
            }
        }
        #expect(rig.store.keys == keys && rig.log.rows.pending.count == 100)
    }

    @Test("rebuilds a store that was set back, or lost", arguments: [true, false])
    func store(isLost: Bool) async throws {
        let rig = try LogRig()
        rig.add(0..<700)
        let sequencer = rig.sequencer(limit: 300)
        try await rig.drain(sequencer)
        let before = rig.store.snapshot
        rig.add(700..<1500)
        try await rig.drain(sequencer)
        await sequencer.stepDown()
        rig.store.restore(isLost ? [:] : before)
        rig.add(1500..<1510)
        try await rig.drain(rig.sequencer())
        try await rig.expectSound(0..<1510)
    }

    @Test("counts what it rebuilds once it is there, and no attempt before")
    func counted() async throws {
        let rig = try LogRig()
        rig.add(0..<300)
        let sequencer = rig.sequencer()
        try await rig.drain(sequencer)
        await sequencer.stepDown()
        try await rig.store.delete([rig.objects.prefix + "tile/0/001.p/45"])
        let metrics = TestMetrics()
        rig.store.refuse { $0.verb == .put ? .unavailable : nil }
        for _ in 0..<2 {
            await #expect(throws: ObjectStorageError.self) {
                try await withMetricsFactory(metrics) { try await sequencer.turn() }
            }
        }
        #expect(metrics.counterTotal(label: "rial_log_mended_total") == 0)
        rig.store.refuse { _ in nil }
        for _ in 0..<2 { _ = try await withMetricsFactory(metrics) { try await sequencer.turn() } }
        #expect(metrics.counterTotal(label: "rial_log_mended_total") == 1)
        try await rig.expectSound(0..<300)
    }

    @Test("rebuilds a lost store of more leaves than are read at once")
    func largeStore() async throws {
        let rig = try LogRig()
        rig.add(0..<4100)
        let sequencer = rig.sequencer()
        try await rig.drain(sequencer)
        await sequencer.stepDown()
        rig.store.restore([:])
        rig.add(4100..<4110)
        try await rig.drain(rig.sequencer())
        try await rig.expectSound(0..<4110)
    }

    @Test("a store that is set back while an instance leads is rebuilt as well")
    func storeWhileLeading() async throws {
        let rig = try LogRig()
        rig.add(0..<300)
        let sequencer = rig.sequencer()
        try await rig.drain(sequencer)
        rig.store.restore([:])
        rig.add(300..<310)
        for _ in 0..<5 {
            rig.advance(1)
            _ = try? await sequencer.turn()
        }
        try await rig.expectSound(0..<310)
    }

    @Test("freezes if database and store were set back and a witness remembers")
    func both() async throws {
        let rig = try LogRig(witnesses: ["w1", "w2", "w3"])
        try await setBack(rig)
        for witness in rig.witnesses.dropFirst() { witness.behave(.unreachable) }
        rig.add(200..<300)
        let shown = rig.witnesses[0].seen.count
        guard case .frozen(let freeze) = try await rig.drain(rig.sequencer()) else {
            Issue.record("not frozen")
            return
        }
        #expect(freeze.reason == .witnessAhead)
        #expect(rig.witnesses[0].seen.dropFirst(shown).allSatisfy { $0.size == 101 }, "it saw nothing new")
    }

    @Test("a copy with the same key freezes at its first round, once witnesses are back")
    func copy() async throws {
        let rig = try LogRig(witnesses: ["w1"], quorum: 1)
        try await setBack(rig)
        let head = rig.witnesses[0].latest
        // As large as what the witness has, and another.
        rig.add(200..<300)
        rig.witnesses[0].behave(.unreachable)
        let copy = rig.sequencer()
        rig.advance(1)
        #expect(try await copy.turn() != .idle)
        rig.witnesses[0].behave(.honest)
        rig.advance(6)
        guard case .frozen(let freeze) = try await copy.turn() else {
            Issue.record("not frozen")
            return
        }
        #expect(freeze.reason == .witnessRefuses && rig.witnesses[0].latest == head)
    }

    @Test("a head or a checkpoint of ours in the store that the database does not know freezes", arguments: [true, false])
    func unknownHead(isHead: Bool) async throws {
        let rig = try LogRig(witnesses: [])
        rig.add(0..<10)
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        let head = TreeHead(size: isHead ? 11 : 12, root: MerkleHash.empty)
        let text = Checkpoint(origin: rig.origin, head: head).text
        let note = try SignedNote(text: text, signatures: [rig.key.sign(text)])
        try await rig.store.put(
            isHead ? rig.objects.headKey(11) : rig.objects.checkpointKey, bytes: note.bytes, contentType: "text/plain")
        guard case .frozen(let freeze) = try await rig.drain(rig.sequencer()) else {
            Issue.record("not frozen")
            return
        }
        #expect(freeze.reason == (isHead ? .forked : .databaseBehind))
    }

    /// Signs another tree of this size, and puts it into the store as its head.
    private static func putHead(of size: UInt64, in rig: LogRig) async throws {
        let text = Checkpoint(origin: rig.origin, head: TreeHead(size: size, root: MerkleHash.empty)).text
        let note = try SignedNote(text: text, signatures: [rig.key.sign(text)])
        try await rig.store.put(rig.objects.headKey(size), bytes: note.bytes, contentType: "text/plain")
    }

    @Test("freezes and publishes nothing if another head of the same size is in the store once it has signed")
    func otherHead() async throws {
        let rig = try LogRig(witnesses: [])
        rig.add(0..<10)
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        let checkpoint = rig.store.bytes(rig.objects.checkpointKey)
        rig.add(10..<20)
        let sequencer = rig.sequencer { point in
            guard point == .signed else { return }
            try await Self.putHead(of: 21, in: rig)
        }
        guard case .frozen(let freeze) = try await rig.drain(sequencer) else {
            Issue.record("not frozen")
            return
        }
        #expect(freeze.reason == .headDiffers)
        #expect(rig.log.rows.shards[0].publishedSize == 11 && rig.store.bytes(rig.objects.checkpointKey) == checkpoint)
    }

    @Test("freezes before it leads if the newest head is not the committed checkpoint of its size", arguments: [15, 21] as [UInt64])
    func uncommittedHead(size: UInt64) async throws {
        let rig = try LogRig(witnesses: [])
        rig.add(0..<10)
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        rig.add(10..<20)
        let trigger = Trigger(.committed, at: 1)
        let interrupted = rig.sequencer { if trigger.fires(at: $0) { throw Killed() } }
        await #expect(throws: Killed.self) { try await rig.drain(interrupted) }
        // 21 leaves are committed, and no tree of 15 ever was.
        try await Self.putHead(of: size, in: rig)
        let led = Latch()
        let sequencer = rig.sequencer { if $0 == .led { led.open() } }
        guard case .frozen(let freeze) = try await rig.drain(sequencer) else {
            Issue.record("not frozen")
            return
        }
        #expect(freeze.reason == .headDiffers && !led.isOpen)
        #expect(rig.log.rows.shards[0].publishedSize == 11)
    }

    @Test("freezes if the head of the published tree is another, also where no listing shows it")
    func unlistedHead() async throws {
        let rig = try LogRig(witnesses: [])
        rig.add(0..<10)
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        try await Self.putHead(of: 11, in: rig)
        // What is listed before it fills the first page, beyond which nobody looks.
        for number in 0..<1000 {
            try await rig.store.put(rig.objects.headsPrefix + "!\(number)", bytes: [], contentType: "text/plain")
        }
        guard case .frozen(let freeze) = try await rig.drain(rig.sequencer()) else {
            Issue.record("not frozen")
            return
        }
        #expect(freeze.reason == .headDiffers)
    }

    @Test("a checkpoint in the store that is none of ours is written over")
    func foreignCheckpoint() async throws {
        let rig = try LogRig()
        rig.add(0..<10)
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        try await rig.store.put(rig.objects.checkpointKey, bytes: Array("anything\n".utf8), contentType: "text/plain")
        try await rig.drain(rig.sequencer())
        try await rig.expectSound(0..<10)
    }
}
