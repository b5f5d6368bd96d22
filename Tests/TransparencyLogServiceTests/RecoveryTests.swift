import Foundation
import ObjectStorage
import Persistence
import TestSupport
import Testing
import TransparencyLog

@testable import TransparencyLogService

@Suite("Recovering a frozen log")
struct RecoveryTests {
    private func frozen(_ rig: LogRig) async throws -> Freeze? {
        guard case .frozen(let freeze) = try await rig.drain(rig.sequencer()) else { return nil }
        return freeze
    }

    private func recover(_ rig: LogRig) async throws -> LogRecovery.Report {
        try await LogRecovery(repository: rig.log, store: rig.store).recover()
    }

    private func flip(_ key: String, in rig: LogRig, at offset: Int) async throws {
        var bytes = try #require(rig.store.bytes(key))
        bytes[offset] ^= 1
        try await rig.store.put(key, bytes: bytes, contentType: "application/octet-stream")
    }

    @Test("brings back what a restored database lost, at any step, and goes on", arguments: SequencerPoint.allCases, [0, 1])
    func database(point: SequencerPoint, witnesses: Int) async throws {
        let rig = try LogRig(witnesses: witnesses == 0 ? [] : ["w1"], quorum: 1)
        rig.add(0..<300)
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        let before = rig.log.rows
        rig.add(300..<400)
        let trigger = Trigger(point, at: 1)
        let sequencer = rig.sequencer { if trigger.fires(at: $0) { throw Killed() } }
        await #expect(throws: Killed.self) { try await rig.drain(sequencer) }
        rig.watch()
        rig.log.restore(before)
        // Other statements than before are waiting, and those that were entered come again.
        rig.add(400..<450)
        if try await frozen(rig) != nil {
            let report = try await recover(rig)
            #expect(report.head.size == 401)
        }
        rig.log.endSessions()
        rig.add(300..<400)
        try await rig.drain(rig.sequencer())
        try await rig.expectSound(0..<450)
    }

    @Test("lets what was entered and never signed wait again")
    func returned() async throws {
        let rig = try LogRig(witnesses: [])
        rig.add(0..<300)
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        rig.add(300..<310)
        let trigger = Trigger(.committed, at: 1)
        let sequencer = rig.sequencer { point in
            if trigger.fires(at: point) { rig.log.change { $0.entries[rig.origin]?[305][30] ^= 1 } }
        }
        guard case .frozen = try await rig.drain(sequencer) else {
            Issue.record("not frozen")
            return
        }
        let report = try await recover(rig)
        // One of the ten cannot be read any more: its statement is found by the look-through.
        #expect(report.head.size == 301 && report.returned == 9)
        rig.add(300..<310)
        try await rig.drain(rig.sequencer())
        try await rig.expectSound(0..<310)
    }

    @Test(
        "mends what is damaged at the right edge",
        arguments: [
            ("tile/0/001.p/45", .tileDiffers), ("tile/1/000.p/1", .tileDiffers), ("tile/entries/001.p/45", .tileDiffers),
            ("row", .databaseDamaged), ("head", .headDiffers), ("rows", .databaseDamaged),
        ] as [(String, Freeze.Reason)])
    func edge(place: String, reason: Freeze.Reason) async throws {
        let rig = try LogRig()
        rig.add(0..<300)
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        switch place {
        case "row": rig.log.change { $0.entries[rig.origin]?[290][30] ^= 1 }
        case "rows": rig.log.change { $0.entries[rig.origin]?.removeLast(20) }
        case "head":
            try await rig.store.put(rig.objects.headKey(400), bytes: Array("anything\n".utf8), contentType: "text/plain")
        default: try await flip(rig.objects.prefix + place, in: rig, at: 30)
        }
        rig.add(300..<310)
        #expect(try await frozen(rig)?.reason == reason)
        #expect(try await recover(rig).head.size == 301)
        try await rig.drain(rig.sequencer())
        try await rig.expectSound(0..<310)
    }

    @Test("brings back a lost store of more leaves than are read at once")
    func lostStore() async throws {
        let rig = try LogRig(witnesses: [])
        rig.add(0..<4100)
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        rig.store.restore([:])
        _ = try await rig.log.freeze(rig.origin, Freeze(.tileDiffers, "of a test"), at: rig.now)
        let head = try await recover(rig).head
        #expect(head.size == 4101)
        // Before a sequencer restores what recovery left out.
        #expect(try await TreeReader(objects: rig.objects).edge(size: head.size).frontier.head == head)
        rig.add(4100..<4110)
        try await rig.drain(rig.sequencer())
        try await rig.expectSound(0..<4110)
    }

    @Test("brings back more leaves than are read at once to a database that knew none, and publishes them")
    func emptyDatabase() async throws {
        let rig = try LogRig(witnesses: [])
        let before = rig.log.rows
        // So many that a tile of level 2 changes last in a step before the last.
        rig.add(0..<72_000)
        try await rig.drain(rig.sequencer())
        rig.log.restore(before)
        #expect(try await frozen(rig)?.reason == .databaseBehind)
        let head = try await recover(rig).head
        #expect(head.size == 72_001 && rig.log.rows.shards[0].publishedSize == 0)
        // The store loses what recovery has put there, so that it is up to the sequencer.
        try await rig.store.delete(rig.store.keys.filter { $0.contains("/tile/") })
        let sequencer = rig.sequencer()
        #expect(try await sequencer.turn() == .published(head))
        #expect(rig.log.mostLeaves <= 4096 + 255, "as many as a round enters, and the bundle before them")
        await sequencer.stepDown()
        try await rig.expectSound(0..<72_000)
    }

    @Test("does not recover what cannot be proved, and changes nothing then")
    func unproved() async throws {
        let rig = try LogRig(witnesses: [])
        rig.add(0..<300)
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        rig.log.change { $0.entries[rig.origin]?[290][30] ^= 1 }
        for place in ["tile/0/001.p/45", "tile/entries/001.p/45"] { try await flip(rig.objects.prefix + place, in: rig, at: 30) }
        #expect(try await frozen(rig) != nil)
        let (rows, objects) = (rig.log.rows, rig.store.snapshot)
        await #expect(throws: LogRecovery.Failure.self) { try await recover(rig) }
        #expect(rig.log.rows.shards == rows.shards && rig.log.rows.entries == rows.entries && rig.store.snapshot == objects)
    }

    @Test("does not recover a log that has signed two trees")
    func forked() async throws {
        let rig = try LogRig(witnesses: [])
        rig.add(0..<10)
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        let text = Checkpoint(origin: rig.origin, head: TreeHead(size: 11, root: MerkleHash.empty)).text
        let note = try SignedNote(text: text, signatures: [rig.key.sign(text)])
        try await rig.store.put(rig.objects.headKey(11), bytes: note.bytes, contentType: "text/plain")
        #expect(try await frozen(rig)?.reason == .forked)
        await #expect(throws: LogRecovery.Failure.self) { try await recover(rig) }
        #expect(rig.log.rows.shards[0].freeze?.reason == .forked)
    }

    @Test(
        "replaces the published checkpoint's note if that is damaged, or publishes the tree that was signed after it",
        arguments: [false, true])
    func damagedNote(hasNext: Bool) async throws {
        let rig = try LogRig()
        rig.add(0..<10)
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        if hasNext {
            rig.add(10..<15)
            let trigger = Trigger(.head, at: 1)
            let sequencer = rig.sequencer { if trigger.fires(at: $0) { throw Killed() } }
            await #expect(throws: Killed.self) { try await rig.drain(sequencer) }
        }
        let note = try #require(rig.log.rows.checkpoints[rig.origin]?[11]?.note)
        rig.log.damageNote(of: 11, rig.origin, try note.falsified(for: rig.key.verifier))
        #expect(try await frozen(rig)?.reason == .databaseDamaged)
        let head = try await recover(rig).head
        #expect(head.size == (hasNext ? 16 : 11))
        #expect(try await rig.sequencer().turn() == (hasNext ? .published(head) : .idle))
        try await rig.expectSound(0..<(hasNext ? 15 : 10))
        if !hasNext { #expect(rig.log.rows.checkpoints[rig.origin]?[11]?.note == note) }
    }

    @Test("does not go back behind what was published if no signature of that is left")
    func lostSignature() async throws {
        let rig = try LogRig(witnesses: [])
        rig.add(0..<10)
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        let note = try #require(rig.log.rows.checkpoints[rig.origin]?[11]?.note)
        rig.log.damageNote(of: 11, rig.origin, try note.falsified(for: rig.key.verifier))
        try await rig.store.delete([rig.objects.headKey(11), rig.objects.checkpointKey])
        #expect(try await frozen(rig)?.reason == .databaseDamaged)
        await #expect(throws: LogRecovery.Failure.self) { try await recover(rig) }
        #expect(rig.log.rows.shards[0].freeze?.reason == .databaseDamaged)
    }

    @Test(
        "brings back a note in PostgreSQL that is false, or none any more, for which the log was frozen",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"), arguments: [true, false])
    func storedNote(isReadable: Bool) async throws {
        let key = try SignerKey(name: TextLine("rial.example/log/2026")!, kind: .log, seed: TestKeys.seed("log"))
        let policy = try TrustPolicy(Array("log \(key.verifier)\nquorum none\n".utf8))
        let store = MemoryObjectStore()
        try await TestLog.postgres.with(key.verifier) { log in
            /// What an instance does first that has just started.
            func turn() async throws -> SequencerTurn {
                let sequencer = Sequencer(
                    repository: log.repository, store: store, signer: TestSigner(key: key),
                    panel: WitnessPanel(policy: policy, connections: [], timeout: .seconds(2), now: { Date() }, logger: .quiet),
                    logger: .quiet)
                var first = SequencerTurn.standby
                try await waitUntil("the lock is free") {
                    first = try await sequencer.turn()
                    return first != .standby
                }
                await sequencer.stepDown()
                return first
            }
            let head = try #require(try await log.repository.openShard()).head
            #expect(try await turn() == .published(head))
            let note = try #require(try await log.repository.checkpoint(of: head.size, key.verifier.name)?.note)
            let damaged = isReadable ? String(decoding: try note.falsified(for: key.verifier).bytes, as: UTF8.self) : "x"
            try await log.damageNote(head.size, damaged)
            guard case .frozen(let freeze) = try await turn() else {
                Issue.record("not frozen")
                return
            }
            #expect(freeze.reason == .databaseDamaged)
            let recovery = try await log.recovery()
            let report = try await LogRecovery(repository: recovery, store: store).recover()
            #expect(report == LogRecovery.Report(head: head, returned: 0))
            if let postgres = recovery as? PostgresRecoveryRepository { await postgres.connection.close() }
            #expect(try await log.repository.checkpoint(of: head.size, key.verifier.name)?.note == note)
            #expect(try await turn() == .idle)
        }
    }

    @Test("has nothing to do for a log that is not frozen")
    func sound() async throws {
        let rig = try LogRig()
        await #expect(throws: LogRecovery.Failure.notFrozen) { try await recover(rig) }
    }
}

extension SignedNote {
    /// The same text with a signature that is not the key's.
    func falsified(for key: VerifierKey) throws -> SignedNote {
        var signature = try #require(signatures.first).signature
        signature[20] ^= 1
        return try SignedNote(text: text, signatures: [NoteSignature(key: key, signature: signature)])
    }
}

extension MemoryLog: RecoveryRepository {
    func published(_ origin: TextLine, limit: Int) async throws -> [CommittedCheckpoint] {
        Array((rows.checkpoints[origin] ?? [:]).values.filter { $0.note != nil }.sorted { $0.head.size > $1.head.size }.prefix(limit))
    }

    func replace(
        _ proved: ProvedTree, leaves: @escaping @Sendable (Range<UInt64>) async throws -> [[UInt8]]
    ) async throws -> Int {
        let right = try await leaves(0..<proved.head.size)
        let origin = proved.shard.origin
        let old = zip(rows.entries[origin] ?? [], rows.hashes[origin] ?? []).filter { MerkleHash.leaf($0) == $1 }.map(\.0)
        change { rows in
            rows.entries[origin] = right
            rows.hashes[origin] = right.map { MerkleHash.leaf($0) }
            rows.commitments = Set(right.compactMap { (try? LogLeaf(bytes: $0))?.commitmentBytes }.filter { !$0.isEmpty })
            rows.checkpoints[origin] = rows.checkpoints[origin]?.filter { $0.key <= proved.head.size }
            let isPublished = rows.checkpoints[origin]?[proved.head.size]?.note != nil
            rows.checkpoints[origin]?[proved.head.size] = CommittedCheckpoint(
                head: proved.head, text: proved.note.text, note: isPublished ? proved.note : nil)
            guard let index = rows.shards.firstIndex(where: { $0.origin == origin }) else { return }
            rows.shards[index].head = proved.head
            rows.shards[index].publishedSize = proved.publishedSize
            rows.shards[index].freeze = nil
        }
        var returned = 0
        let kept = Set(right)
        for leaf in old where !kept.contains(leaf) {
            guard let leaf = try? LogLeaf(bytes: leaf), !rows.commitments.contains(leaf.commitmentBytes) else { continue }
            let before = rows.pending.count
            add(leaf)
            returned += rows.pending.count - before
        }
        return returned
    }
}
