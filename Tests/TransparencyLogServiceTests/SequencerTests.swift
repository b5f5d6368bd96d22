import CaptureProtocol
import Foundation
import ObjectStorage
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import TransparencyLog

@testable import TransparencyLogService

extension LogShard {
    /// The same as another shard, with the same key.
    fileprivate func named(_ name: String) -> LogShard {
        let line = TextLine("rial.example/log/\(name)")
        return LogShard(origin: line ?? origin, shard: name, key: key, head: head, publishedSize: publishedSize)
    }
}

@Suite("The sequencer")
struct SequencerTests {
    @Test("writes leaves in the order of their arrival, over tiles of every width", arguments: [1, 255, 256, 257, 1000])
    func order(limit: Int) async throws {
        let rig = try LogRig(witnesses: [])
        rig.add(0..<600)
        try await rig.drain(rig.sequencer(limit: limit), turns: 700)
        try await rig.expectSound(0..<600)
        let leaves = try #require(rig.log.rows.entries[rig.origin])
        #expect(Array(leaves.dropFirst()) == (0..<600).map { LogRig.leaf($0).bytes })
        #expect(leaves[0] == LogLeaf.shard(previous: nil, head: .empty).bytes)
    }

    @Test("lets what is held back wait for its time, and enters it by its commitments")
    func heldBack() async throws {
        let rig = try LogRig(witnesses: [])
        let due = rig.now.addingTimeInterval(1000)
        for number in 0..<50 { rig.log.add(LogRig.leaf(number), notBefore: due, at: rig.now) }
        rig.add(50..<60)
        let sequencer = rig.sequencer()
        try await rig.drain(sequencer)
        #expect(rig.log.rows.entries[rig.origin]?.count == 11)
        rig.advance(1001)
        rig.add(60..<70)
        try await rig.drain(sequencer)
        try await rig.expectSound(0..<70)
        let commitments = (rig.log.rows.entries[rig.origin] ?? []).suffix(50).compactMap { leaf -> [UInt8]? in
            guard case .entry(_, _, _, let commitment) = try? LogLeaf(bytes: leaf) else { return nil }
            return commitment.bytes
        }
        #expect(commitments == commitments.sorted { $0.lexicographicallyPrecedes($1) } && commitments.count == 50)
    }

    @Test("lets a statement of a clock that is ahead wait for its time, and enters the others")
    func ahead() async throws {
        let rig = try LogRig(witnesses: [])
        let ahead = LogRig.stated(0, at: rig.now.addingTimeInterval(3600))
        rig.log.add(ahead, at: rig.now)
        rig.add([1])
        let sequencer = rig.sequencer()
        try await rig.drain(sequencer)
        rig.advance(3500)
        try await rig.drain(sequencer)
        let first = try #require(rig.log.rows.entries[rig.origin])
        #expect(Array(first.dropFirst()) == [LogRig.leaf(1).bytes])
        rig.advance(60)
        try await rig.drain(sequencer)
        let both = try #require(rig.log.rows.entries[rig.origin])
        #expect(Array(both.dropFirst()) == [LogRig.leaf(1).bytes, ahead.bytes])
    }

    @Test("makes at most one checkpoint in so many seconds")
    func pace() async throws {
        let rig = try LogRig(witnesses: [])
        let sequencer = rig.sequencer()
        try await rig.drain(sequencer)
        rig.add([0])
        rig.advance(1)
        #expect(try await sequencer.turn() != .idle)
        rig.add([1])
        rig.advance(0.5)
        #expect(try await sequencer.turn() == .idle)
        rig.advance(0.5)
        #expect(try await sequencer.turn() != .idle)
        // A clock that is set back holds up nothing.
        rig.advance(-3600)
        rig.add([2])
        #expect(try await sequencer.turn() != .idle)
    }

    @Test("takes no lock with another key, without a shard, or while another instance leads")
    func aside() async throws {
        let rig = try LogRig(witnesses: [])
        let first = rig.sequencer()
        try await rig.drain(first)
        #expect(try await rig.sequencer().turn() == .standby)
        await first.stepDown()
        let other = try SignerKey(name: rig.origin, kind: .log, seed: TestKeys.seed("another"))
        let panel = WitnessPanel(policy: rig.policy, connections: [], timeout: .seconds(1), now: { rig.now }, logger: .quiet)
        let foreign = Sequencer(
            repository: rig.log, store: rig.store, signer: TestSigner(key: other), panel: panel, now: { rig.now }, logger: .quiet)
        #expect(try await foreign.turn() == .foreignKey)
        rig.log.change { $0.closed.insert(rig.origin) }
        #expect(try await rig.sequencer().turn() == .noShard)
    }

    @Test("ends a shard with the next one's key, after all that waits")
    func end() async throws {
        let rig = try LogRig()
        let sequencer = rig.sequencer(limit: 100)
        let next = try SignerKey(name: TextLine("rial.example/log/2027")!, kind: .log, seed: TestKeys.seed("next")).verifier
        rig.add(0..<150)
        rig.log.change { $0.shards[0].next = next }
        let turn = try await rig.drain(sequencer)
        #expect(turn == .noShard)
        let rows = rig.log.rows
        #expect(rows.closed == [rig.origin] && rows.entries[rig.origin]?.count == 152)
        #expect(rows.entries[rig.origin]?.last == LogLeaf.end(next: next).bytes)
        let validated = try rig.policy.validate(try SignedNote(try #require(rig.store.bytes(rig.objects.checkpointKey))))
        #expect(validated.checkpoint.size == 152 && validated.quorum != .missing)
        rig.add([200])
        #expect(try await rig.drain(sequencer) == .noShard)
    }

    @Test("asks witnesses about the final checkpoint of a shard until a quorum stands, and only then closes it", arguments: [false, true])
    func endWithoutQuorum(isAside: Bool) async throws {
        let rig = try LogRig(quorum: 3)
        let sequencer = rig.sequencer()
        let next = try SignerKey(name: TextLine("rial.example/log/2027")!, kind: .log, seed: TestKeys.seed("next")).verifier
        rig.witnesses[0].behave(.unreachable)
        rig.add(0..<10)
        rig.log.change { $0.shards[0].next = next }
        try await rig.drain(sequencer)
        rig.add([200])
        // It is asked again after five seconds, and aside after three failures.
        try await rig.drain(sequencer, turns: isAside ? 10 : 2)
        #expect(rig.log.rows.closed.isEmpty && rig.log.rows.entries[rig.origin]?.count == 12 && rig.log.rows.pending.count == 1)
        rig.witnesses[0].behave(.honest)
        if isAside {
            rig.advance(61)
            try await sequencer.askAside()
        }
        #expect(try await rig.drain(sequencer) == .noShard)
        #expect(rig.log.rows.closed == [rig.origin] && rig.log.rows.entries[rig.origin]?.count == 12)
        let validated = try rig.policy.validate(try SignedNote(try #require(rig.store.bytes(rig.objects.checkpointKey))))
        #expect(validated.checkpoint.size == 12 && validated.quorum != .missing)
    }

    @Test("stores the final checkpoint with the cosignatures that it learns when it takes the lock, and only then closes the shard")
    func endAfterRestart() async throws {
        let rig = try LogRig(quorum: 3)
        let first = rig.sequencer()
        let next = try SignerKey(name: TextLine("rial.example/log/2027")!, kind: .log, seed: TestKeys.seed("next")).verifier
        rig.witnesses[0].behave(.unreachable)
        rig.add(0..<10)
        rig.log.change { $0.shards[0].next = next }
        // The checkpoint of the first leaf, and the final one.
        try await rig.drain(first, turns: 2)
        #expect(rig.log.rows.closed.isEmpty && rig.log.rows.entries[rig.origin]?.count == 12)
        await first.stepDown()
        rig.witnesses[0].behave(.honest)
        rig.add([200])
        #expect(try await rig.drain(rig.sequencer()) == .noShard)
        #expect(rig.log.rows.closed == [rig.origin] && rig.log.rows.entries[rig.origin]?.count == 12)
        let validated = try rig.policy.validate(try SignedNote(try #require(rig.store.bytes(rig.objects.checkpointKey))))
        #expect(validated.checkpoint.size == 12 && validated.quorum != .missing)
    }

    @Test("keeps a hundred heads, the newest first, and partial tiles for an hour")
    func sweep() async throws {
        let rig = try LogRig(witnesses: [])
        rig.add(0..<520)
        let sequencer = rig.sequencer(limit: 4)
        try await rig.drain(sequencer, turns: 200)
        let upkeep = LogUpkeep(repository: rig.log, store: rig.store, scrubDays: 7, logger: .quiet)
        try await upkeep.sweep(at: rig.now)
        let heads = try await rig.store.list(prefix: rig.objects.headsPrefix).objects.compactMap { rig.objects.headSize($0.key) }
        #expect(heads.count == 100 && heads.first == 521 && heads == heads.sorted(by: >))
        #expect(rig.store.keys.contains { $0.contains("tile/0/000.p/") })
        rig.advance(3700)
        try await upkeep.sweep(at: rig.now)
        #expect(!rig.store.keys.contains { $0.contains("tile/0/000.p/") || $0.contains("tile/entries/001.p/") })
        #expect(rig.store.keys.contains { $0.contains("tile/0/002.p/9") })
        await sequencer.stepDown()
        rig.add(520..<530)
        try await rig.drain(rig.sequencer())
        try await rig.expectSound(0..<530)
    }

    /// A witness that looks, when it is asked, whether the sequencer says that it leads.
    private final class LookingWitness: WitnessConnection {
        let witness: TrustedWitness
        private let state = Mutex((sequencer: Sequencer?.none, found: [Bool]()))
        var found: [Bool] { state.withLock { $0.found } }

        init(_ witness: TrustedWitness) { self.witness = witness }
        func watch(_ sequencer: Sequencer) { state.withLock { $0.sequencer = sequencer } }

        func add(_ submission: CheckpointSubmission) async throws -> WitnessReply {
            let isLeading = await state.withLock { $0.sequencer }?.isLeading ?? false
            state.withLock { $0.found.append(isLeading) }
            throw CancellationError()
        }
    }

    @Test("an instance with the lock leads once it has compared what there is: until then nobody reads the log again")
    func leads() async throws {
        let rig = try LogRig(witnesses: ["w1"], quorum: 1)
        rig.add(0..<5)
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        let witness = LookingWitness(rig.witnesses[0].witness)
        let panel = WitnessPanel(policy: rig.policy, connections: [witness], timeout: .seconds(5), now: { rig.now }, logger: .quiet)
        let sequencer = Sequencer(
            repository: rig.log, store: rig.store, signer: TestSigner(key: rig.key), panel: panel, now: { rig.now }, logger: .quiet)
        witness.watch(sequencer)
        #expect(try await sequencer.turn() == .idle)
        #expect(witness.found.first == false)
        #expect(await sequencer.isLeading)
    }

    @Test("a time stamp that never came is as old as the shard, if one is expected", arguments: [true, false])
    func timestampAge(isStamping: Bool) async throws {
        let rig = try LogRig(witnesses: [])
        let upkeep = LogUpkeep(repository: rig.log, store: rig.store, scrubDays: 7, isStamping: isStamping, logger: .quiet)
        rig.advance(9000)
        var standing = try await upkeep.measure(at: rig.now)
        let expected: TimeInterval? = isStamping ? 9000 : nil
        #expect(upkeep.timestampAge(standing, at: rig.now) == expected)
        standing.stampedAt = rig.now.addingTimeInterval(-10)
        #expect(upkeep.timestampAge(standing, at: rig.now) == (isStamping ? 10 : nil), "no more are asked for")
    }

    @Test("an instance whose policy names other logs must not run, unless it names none yet")
    func policyOfAnotherLog() throws {
        let rig = try LogRig(witnesses: [])
        let key = try SignerKey(name: rig.origin, kind: .log, seed: TestKeys.seed("of another log"))
        let other = try TrustPolicy(Array("log \(key.verifier)\nquorum none\n".utf8))
        let none = try TrustPolicy(Array("quorum none\n".utf8))
        let log = try #require(rig.policy.logs.first?.key)
        #expect(SequencerService.problem(of: nil, with: log) == nil)
        #expect(SequencerService.problem(of: none, with: log) == nil)
        #expect(SequencerService.problem(of: rig.policy, with: log) == nil)
        #expect(SequencerService.problem(of: other, with: log)?.variable == "RIAL_LOG_POLICY")
    }

    @Test("sweeps a log beside one that was given up, and one that cannot be swept")
    func sweepBesideOthers() async throws {
        let rig = try LogRig(witnesses: [])
        rig.add(0..<300)
        let sequencer = rig.sequencer(limit: 100)
        try await rig.drain(sequencer)
        rig.log.change { rows in
            for (index, shard) in [rows.shards[0].named("2024"), rows.shards[0].named("2025")].enumerated() {
                rows.shards.insert(shard, at: index)
                rows.closed.insert(shard.origin)
                rows.publishedAt[shard.origin] = [shard.publishedSize: LogRig.start]
            }
            rows.shards[0].freeze = Freeze(.forked, "given up")
        }
        rig.advance(3700)
        rig.store.refuse { $0.key.hasPrefix("log/2025/") ? .unavailable : nil }
        try await LogUpkeep(repository: rig.log, store: rig.store, scrubDays: 7, logger: .quiet).sweep(at: rig.now)
        #expect(!rig.store.keys.contains { $0.contains("tile/0/000.p/") })
        #expect(rig.log.rows.swept == [rig.origin: 301])
    }

    @Test("writes a head's name so that the newest is listed first")
    func names() {
        let objects = LogObjects(MemoryObjectStore(), shard: "2026")
        #expect(objects.headKey(500) == "log/2026/heads/99999999999999999499")
        for size: UInt64 in [0, 1, 500, .max] { #expect(objects.headSize(objects.headKey(size)) == size) }
        for key in ["log/2026/heads/9", "log/2026/heads/9999999999999999949x", "log/2025/heads/99999999999999999499"] {
            #expect(objects.headSize(key) == nil, "\(key)")
        }
    }
}
