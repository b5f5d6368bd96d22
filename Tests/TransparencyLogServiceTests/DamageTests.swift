import CoreMetrics
import Foundation
import MetricsTestKit
import ObjectStorage
import TestSupport
import Testing
import TransparencyLog

@testable import TransparencyLogService

@Suite("A damaged log")
struct DamageTests {
    /// What is damaged at the right edge of 301 leaves.
    enum Place: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case tile, upperTile, bundle, row
        var testDescription: String { rawValue }
    }

    private func flip(_ key: String, in rig: LogRig, at offset: Int = 7) async throws {
        var bytes = try #require(rig.store.bytes(key), "\(key)")
        bytes[offset] ^= 1
        try await rig.store.put(key, bytes: bytes, contentType: "application/octet-stream")
    }

    @Test("is frozen before the next signature if it is damaged at the right edge", arguments: Place.allCases, [true, false])
    func edge(place: Place, isRestarted: Bool) async throws {
        let rig = try LogRig()
        rig.add(0..<300)
        let sequencer = rig.sequencer()
        try await rig.drain(sequencer)
        if isRestarted { await sequencer.stepDown() }
        switch place {
        case .tile: try await flip(rig.objects.prefix + "tile/0/001.p/45", in: rig)
        case .upperTile: try await flip(rig.objects.prefix + "tile/1/000.p/1", in: rig)
        case .bundle: try await flip(rig.objects.prefix + "tile/entries/001.p/45", in: rig, at: 40)
        case .row: rig.log.change { $0.entries[rig.origin]?[290][30] ^= 1 }
        }
        rig.add(300..<310)
        let shown = rig.witnesses[0].seen.count
        guard case .frozen(let freeze) = try await rig.drain(isRestarted ? rig.sequencer() : sequencer) else {
            Issue.record("not frozen")
            return
        }
        #expect(freeze.reason == (place == .row ? .databaseDamaged : .tileDiffers))
        #expect(rig.witnesses[0].seen.dropFirst(shown).allSatisfy { $0.size <= 301 })
        #expect(rig.store.bytes(rig.objects.headKey(311)) == nil)
    }

    @Test("is frozen if a row that was committed and not yet signed changes")
    func committed() async throws {
        let rig = try LogRig()
        let trigger = Trigger(.committed, at: 1)
        rig.add(0..<10)
        let sequencer = rig.sequencer {
            if trigger.fires(at: $0) { rig.log.change { $0.entries[rig.origin]?[5][30] ^= 1 } }
        }
        guard case .frozen(let freeze) = try await rig.drain(sequencer) else {
            Issue.record("not frozen")
            return
        }
        #expect(freeze.reason == .databaseDamaged && rig.store.bytes(rig.objects.headKey(11)) == nil)
    }

    @Test("is frozen if another text was committed than the tree's, or rows beyond it")
    func text() async throws {
        for isText in [true, false] {
            let rig = try LogRig()
            rig.add(0..<10)
            let sequencer = rig.sequencer { point in
                guard point == .committed, isText else { return }
                rig.log.change { rows in
                    let head = rows.shards[0].head
                    rows.checkpoints[rig.origin]?[head.size] = CommittedCheckpoint(head: head, text: Array("another\n".utf8), note: nil)
                }
            }
            if !isText {
                try await rig.drain(sequencer)
                await sequencer.stepDown()
                rig.log.change { $0.entries[rig.origin]?.append([1]) }
            }
            guard case .frozen(let freeze) = try await rig.drain(sequencer) else {
                Issue.record("not frozen")
                return
            }
            #expect(freeze.reason == .databaseDamaged)
        }
    }

    @Test("what is put and read back as another is not signed")
    func readBack() async throws {
        let rig = try LogRig()
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        rig.add(0..<300)
        let sequencer = rig.sequencer { point in
            guard point == .tiles else { return }
            var bytes = rig.store.bytes(rig.objects.prefix + "tile/0/000") ?? []
            bytes[100] ^= 1
            try await rig.store.put(rig.objects.prefix + "tile/0/000", bytes: bytes, contentType: "application/octet-stream")
        }
        guard case .frozen(let freeze) = try await rig.drain(sequencer) else {
            Issue.record("not frozen")
            return
        }
        #expect(freeze.reason == .tileDiffers && rig.store.bytes(rig.objects.headKey(301)) == nil)
    }

    /// A log of 70,000 leaves would have two levels of full tiles; of 1,500 it has one, and the scrub goes the same way.
    private func scrubbed(_ damage: (LogRig) async throws -> Void) async throws -> LogRig {
        let rig = try LogRig()
        rig.add(0..<1500)
        let sequencer = rig.sequencer()
        try await rig.drain(sequencer)
        try await damage(rig)
        try await LogUpkeep(repository: rig.log, store: rig.store, scrubDays: 7, logger: .quiet).scrub(at: rig.now)
        return rig
    }

    @Test(
        "gets back tiles, bundles and rows elsewhere from the good copy", arguments: ["tile/0/002", "tile/entries/003", "row"],
        [true, false])
    func mended(place: String, isMissing: Bool) async throws {
        let rig = try await scrubbed { rig in
            if place == "row" {
                rig.log.change { $0.entries[rig.origin]?[300][30] ^= 1 }
            } else if isMissing {
                try await rig.store.delete([rig.objects.prefix + place])
            } else {
                try await flip(rig.objects.prefix + place, in: rig, at: 40)
            }
        }
        try await rig.drain(rig.sequencer())
        rig.log.endSessions()
        try await rig.drain(rig.sequencer())
        try await rig.expectSound(0..<1500)
    }

    @Test(
        "gets back what the store refuses to give, and is read on, also if the store does not take it",
        arguments: ["tile/0/001", "tile/entries/001"], [true, false])
    func refused(place: String, isTaken: Bool) async throws {
        let rig = try LogRig()
        rig.add(0..<1500)
        try await rig.drain(rig.sequencer())
        let (entries, before) = (rig.log.rows.entries, rig.store.requests.count)
        let key = rig.objects.prefix + place
        // A row of a later block.
        rig.log.change { $0.entries[rig.origin]?[1030][30] ^= 1 }
        rig.store.refuse { $0.key == key && ($0.verb == .get || !isTaken) ? .unavailable : nil }
        let metrics = TestMetrics()
        try await withMetricsFactory(metrics) {
            try await LogUpkeep(repository: rig.log, store: rig.store, scrubDays: 7, logger: .quiet).scrub(at: rig.now)
        }
        // The row, and the object if it was taken.
        #expect(metrics.counterTotal(label: "rial_log_mended_total") == (isTaken ? 2 : 1))
        #expect(metrics.counterTotal(label: "rial_log_unmended_total") == (isTaken ? 0 : 1))
        #expect(rig.log.rows.entries == entries && rig.log.rows.shards[0].freeze == nil)
        let puts = rig.store.requests.dropFirst(before).filter { $0.verb == .put }
        #expect(puts == [MemoryObjectStore.Request(.put, key)])
    }

    @Test("is not frozen for what the store refuses to give, which may be the right copy")
    func refusedCopy() async throws {
        let rig = try LogRig()
        rig.add(0..<1500)
        try await rig.drain(rig.sequencer())
        let (entries, key) = (rig.log.rows.entries, rig.objects.prefix + "tile/entries/001")
        rig.log.change { $0.entries[rig.origin]?[300][30] ^= 1 }
        rig.store.refuse { $0.verb == .get && $0.key == key ? .unavailable : nil }
        let upkeep = LogUpkeep(repository: rig.log, store: rig.store, scrubDays: 7, logger: .quiet)
        let metrics = TestMetrics()
        try await withMetricsFactory(metrics) { try await upkeep.scrub(at: rig.now) }
        #expect(metrics.counterTotal(label: "rial_log_unmended_total") == 1)
        #expect(rig.log.rows.shards[0].freeze == nil && rig.log.rows.entries != entries)
        rig.store.refuse { _ in nil }
        try await upkeep.scrub(at: rig.now)
        #expect(rig.log.rows.shards[0].freeze == nil && rig.log.rows.entries == entries)
    }

    @Test("is read on from the same place once a store that gave nothing gives again")
    func storeAway() async throws {
        let rig = try LogRig()
        rig.add(0..<1500)
        try await rig.drain(rig.sequencer())
        let entries = rig.log.rows.entries
        rig.log.change { rows in
            rows.entries[rig.origin]?[1030][30] ^= 1
            rows.scrubbed[rig.origin] = 3
        }
        rig.store.refuse { $0.verb == .get ? .unavailable : nil }
        let upkeep = LogUpkeep(repository: rig.log, store: rig.store, scrubDays: 7, logger: .quiet)
        try await upkeep.scrub(at: rig.now)
        #expect(rig.log.rows.scrubbed[rig.origin] == 3 && rig.log.rows.entries != entries)
        rig.store.refuse { _ in nil }
        try await upkeep.scrub(at: rig.now)
        #expect(rig.log.rows.scrubbed[rig.origin] == 0 && rig.log.rows.entries == entries)
    }

    @Test("is frozen if no copy is right")
    func unmendable() async throws {
        let rig = try await scrubbed { rig in
            rig.log.change { $0.entries[rig.origin]?[300][30] ^= 1 }
            try await flip(rig.objects.prefix + "tile/entries/001", in: rig, at: 40)
        }
        #expect(rig.log.rows.shards[0].freeze?.reason == .databaseDamaged)
        let damaged = try await scrubbed { rig in
            rig.log.change { $0.entries[rig.origin]?[300][30] ^= 1 }
            try await flip(rig.objects.prefix + "tile/entries/001", in: rig, at: 40)
            try await flip(rig.objects.prefix + "tile/0/001", in: rig, at: 40)
        }
        #expect(damaged.log.rows.shards[0].freeze?.reason == .tileDiffers)
    }

    @Test(
        "goes on while an old tile is damaged that only the proof for a witness that was away needs; mended, it has that one's cosignature")
    func oldTile() async throws {
        let rig = try LogRig()
        let sequencer = rig.sequencer()
        rig.add(0..<100)
        try await rig.drain(sequencer)
        rig.witnesses[0].behave(.unreachable)
        // It is asked aside after three failures.
        for start in stride(from: 100, to: 600, by: 125) {
            rig.add(start..<start + 125)
            try await rig.drain(sequencer)
        }
        try await flip(rig.objects.prefix + "tile/0/000", in: rig)
        rig.witnesses[0].behave(.honest)
        let asked = rig.witnesses[0].requests
        rig.advance(61)
        try await sequencer.askAside()
        #expect(try await sequencer.turn() == .idle)
        #expect(rig.log.rows.shards[0].freeze == nil)
        #expect(rig.witnesses[0].requests > asked && rig.witnesses[0].latest?.size == 101)
        try await LogUpkeep(repository: rig.log, store: rig.store, scrubDays: 7, logger: .quiet).scrub(at: rig.now)
        rig.advance(61)
        try await sequencer.askAside()
        #expect(try await sequencer.turn() == .idle)
        #expect(rig.witnesses[0].latest?.size == 601)
        let validated = try rig.policy.validate(try SignedNote(try #require(rig.store.bytes(rig.objects.checkpointKey))))
        #expect(validated.checkpoint.size == 601 && validated.cosigners.count == 3)
        try await rig.expectSound(0..<600)
    }

    /// A closed shard of 302 leaves, and the open one after it.
    private func closed() async throws -> LogRig {
        let rig = try LogRig()
        let next = try SignerKey(name: TextLine("rial.example/log/2027")!, kind: .log, seed: TestKeys.seed("next")).verifier
        rig.add(0..<300)
        rig.log.change { $0.shards[0].next = next }
        #expect(try await rig.drain(rig.sequencer()) == .noShard)
        rig.log.open(next, shard: "2027")
        return rig
    }

    @Test(
        "gets back the right edge from the rows once it is closed",
        arguments: ["tile/0/001.p/46", "tile/1/000.p/1", "tile/entries/001.p/46"], [true, false])
    func closedEdge(place: String, isMissing: Bool) async throws {
        let rig = try await closed()
        let before = rig.store.snapshot
        let key = rig.objects.prefix + place
        #expect(before.keys.contains(key))
        if isMissing { try await rig.store.delete([key]) } else { try await flip(key, in: rig, at: 30) }
        let upkeep = LogUpkeep(repository: rig.log, store: rig.store, scrubDays: 7, logger: .quiet)
        try await upkeep.scrub(at: rig.now)
        #expect(rig.log.rows.shards.allSatisfy { $0.freeze == nil } && rig.store.snapshot == before)
        #expect(try await upkeep.measure(at: rig.now).isFrozen == false)
    }

    /// What the store has in place of a closed shard's final checkpoint.
    enum Stale: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case emptyStore, nothing, older, withoutCosignatures, foreign
        var testDescription: String { rawValue }
    }

    @Test("gets back its final checkpoint with its cosignatures once it is closed", arguments: Stale.allCases)
    func closedCheckpoint(stale: Stale) async throws {
        let rig = try await closed()
        let key = rig.objects.checkpointKey
        let final = try #require(rig.store.bytes(key))
        let checkpoints = try #require(rig.log.rows.checkpoints[rig.origin])
        var bytes: [UInt8]?
        switch stale {
        case .emptyStore: rig.store.restore([:])
        case .nothing: try await rig.store.delete([key])
        case .older: bytes = try #require(checkpoints[1]?.note).bytes
        case .withoutCosignatures: bytes = try #require(checkpoints[302]?.note).bytes
        case .foreign: bytes = Array("anything\n".utf8)
        }
        if let bytes { try await rig.store.put(key, bytes: bytes, contentType: "text/plain") }
        #expect(rig.store.bytes(key) != final)
        try await LogUpkeep(repository: rig.log, store: rig.store, scrubDays: 7, logger: .quiet).scrub(at: rig.now)
        #expect(rig.store.bytes(key) == final && rig.log.rows.shards.allSatisfy { $0.freeze == nil })
        let validated = try rig.policy.validate(try SignedNote(final))
        #expect(validated.checkpoint.size == 302 && validated.quorum != .missing)
    }

    @Test("is frozen, closed as it is, if another tree of its size was signed, whose checkpoint stays")
    func closedForked() async throws {
        let rig = try await closed()
        let text = Checkpoint(origin: rig.origin, head: TreeHead(size: 302, root: MerkleHash.empty)).text
        let bytes = try SignedNote(text: text, signatures: [rig.key.sign(text)]).bytes
        try await rig.store.put(rig.objects.checkpointKey, bytes: bytes, contentType: "text/plain")
        try await LogUpkeep(repository: rig.log, store: rig.store, scrubDays: 7, logger: .quiet).scrub(at: rig.now)
        #expect(rig.log.rows.shards.map { $0.freeze?.reason } == [Freeze.Reason.forked, nil])
        #expect(rig.store.bytes(rig.objects.checkpointKey) == bytes)
    }

    @Test("is frozen, closed as it is, if its rows are damaged as well, and recovered beside the open one")
    func closedFrozen() async throws {
        let rig = try await closed()
        let (entries, objects) = (rig.log.rows.entries, rig.store.snapshot)
        rig.log.change { $0.entries[rig.origin]?[290][30] ^= 1 }
        try await rig.store.delete([rig.objects.prefix + "tile/0/001.p/46"])
        let upkeep = LogUpkeep(repository: rig.log, store: rig.store, scrubDays: 7, logger: .quiet)
        try await upkeep.scrub(at: rig.now)
        #expect(rig.log.rows.shards.map { $0.freeze?.reason } == [Freeze.Reason.tileDiffers, nil])
        let standing = try await upkeep.measure(at: rig.now)
        #expect(standing.isFrozen && standing.shard?.shard == "2027" && standing.shard?.freeze == nil)
        let report = try await LogRecovery(repository: rig.log, store: rig.store).recover()
        #expect(report.head.size == 302 && report.returned == 0)
        #expect(rig.log.rows.shards.allSatisfy { $0.freeze == nil } && rig.log.rows.closed == [rig.origin])
        #expect(rig.log.rows.entries == entries && rig.store.snapshot == objects)
    }

    @Test("closed shards that cannot be recovered do not keep others from it, and each says why; one that was given up is passed")
    func severalFrozen() async throws {
        let rig = try await closed()
        let damage = Freeze(.databaseDamaged, "row 1")
        // Of neither anything was signed.
        let others = try ["2024", "2025"].map { shard in
            let key = try SignerKey(name: TextLine("rial.example/log/\(shard)")!, kind: .log, seed: TestKeys.seed(shard)).verifier
            var other = LogShard(origin: key.name, shard: shard, key: key, head: rig.log.rows.shards[0].head, publishedSize: 0)
            other.freeze = damage
            return other
        }
        rig.log.change { rows in
            rows.shards.insert(contentsOf: others, at: 0)
            rows.shards[0].endIndex = 0
            rows.shards[2].freeze = damage
            rows.closed.formUnion(others.map(\.origin))
        }
        let recovery = LogRecovery(repository: rig.log, store: rig.store)
        #expect(try await recovery.recover().head.size == 302)
        #expect(rig.log.rows.shards.map(\.freeze) == [damage, damage, nil, nil])
        rig.log.change { $0.shards[1].endIndex = 0 }
        let why = "nothing of it was ever signed"
        await #expect(throws: LogRecovery.Failure.unproved("2024: \(why); 2025: \(why)")) { try await recovery.recover() }
    }

    @Test("gets a cosignature in the store that came while it was closed; that none is there is damage", arguments: [true, false])
    func closedFuller(hasSome: Bool) async throws {
        let rig = try await closed()
        let key = rig.objects.checkpointKey
        let final = try SignedNote(try #require(rig.store.bytes(key)))
        let fewer = try SignedNote(text: final.text, signatures: hasSome ? final.signatures.dropLast() : [final.signatures[0]])
        #expect(final.signatures.count > 2)
        try await rig.store.put(key, bytes: fewer.bytes, contentType: "text/plain")
        let (shard, published) = (rig.log.rows.shards[0], try #require(rig.log.rows.checkpoints[rig.origin]?[302]))
        let scrub = try await LogScrub(
            shard, head: published.head, isClosed: true, objects: rig.objects, repository: rig.log, logger: .quiet)
        try await scrub.mendCheckpoint(published)
        #expect(rig.store.bytes(key) == final.bytes)
        #expect(await scrub.mended == (hasSome ? 0 : 1))
    }

    @Test("is restored from the rows, not frozen, if its right edge is missing when it is read again", arguments: [true, false])
    func missingEdge(isAllLost: Bool) async throws {
        let rig = try LogRig()
        rig.add(0..<300)
        let sequencer = rig.sequencer()
        try await rig.drain(sequencer)
        if isAllLost { rig.store.restore([:]) } else { try await rig.store.delete([rig.objects.prefix + "tile/0/001.p/45"]) }
        let upkeep = LogUpkeep(repository: rig.log, store: rig.store, scrubDays: 7, logger: .quiet)
        let halt = await error(SequencerHalt.self) { try await upkeep.scrub(at: rig.now) }
        guard case .lost = halt else {
            Issue.record("\(String(describing: halt))")
            return
        }
        #expect(rig.log.rows.shards[0].freeze == nil)
        try await sequencer.scrub(upkeep, at: rig.now)
        // Although nothing is to be entered.
        #expect(try await rig.drain(sequencer) == .idle)
        try await rig.expectSound(0..<300)
        try await upkeep.scrub(at: rig.now)
    }

    @Test("is mended in its upper tiles, from those below")
    func upper() async throws {
        let rig = try LogRig(witnesses: [])
        rig.add(0..<65_800)
        let sequencer = rig.sequencer()
        try await rig.drain(sequencer)
        await sequencer.stepDown()
        for tile in ["tile/1/000", "tile/0/200"] { try await flip(rig.objects.prefix + tile, in: rig) }
        let upkeep = LogUpkeep(repository: rig.log, store: rig.store, scrubDays: 1, logger: .quiet)
        // 16 of 258 blocks a minute.
        for _ in 0..<17 { try await upkeep.scrub(at: rig.now) }
        #expect(rig.log.rows.shards[0].freeze == nil)
        try await rig.expectSound(0..<65_800)
    }
}
