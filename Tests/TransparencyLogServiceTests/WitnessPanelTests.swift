import Foundation
import TestSupport
import Testing
import TransparencyLog

@testable import TransparencyLogService

@Suite("Witnesses of the log")
struct WitnessPanelTests {
    private func published(_ rig: LogRig) throws -> PublishedCheckpoint {
        let shard = try #require(rig.log.rows.shards.first)
        let note = try #require(rig.log.rows.checkpoints[rig.origin]?[shard.publishedSize]?.note)
        var published = try #require(PublishedCheckpoint(note, of: shard))
        published.add(rig.log.rows.cosignatures[rig.origin]?[shard.publishedSize] ?? [])
        return published
    }

    @Test("cosign every checkpoint, from what they had")
    func cosign() async throws {
        let rig = try LogRig()
        let sequencer = rig.sequencer(limit: 50)
        rig.add(0..<300)
        try await rig.drain(sequencer)
        let validated = try rig.policy.validate(try SignedNote(try #require(rig.store.bytes(rig.objects.checkpointKey))))
        #expect(validated.cosigners.count == 3 && validated.quorum != .missing && validated.checkpoint.size == 301)
        #expect(rig.witnesses.allSatisfy { $0.latest?.size == 301 })
        // After the first request, which learns the size, one for each checkpoint.
        #expect(rig.witnesses.allSatisfy { $0.requests <= 9 })
    }

    @Test("have an age from the first round of a new shard on, those too that never answer")
    func ages() async throws {
        let rig = try LogRig()
        rig.witnesses[0].behave(.unreachable)
        let sequencer = rig.sequencer()
        #expect(await sequencer.panel.ages().isEmpty)
        rig.add([0])
        try await rig.drain(sequencer)
        rig.advance(100)
        let ages = await sequencer.panel.ages()
        #expect(Set(ages.keys) == Set(rig.witnesses.map(\.witness.key)) && ages.values.allSatisfy { (100...160).contains($0) }, "\(ages)")
    }

    static let misbehaviours: [(String, TestWitness.Behaviour)] = [
        ("unreachable", .unreachable), ("refusing", .answers(WitnessReply(status: 403, body: []))),
        ("unknown", .answers(WitnessReply(status: 404, body: []))), ("limiting", .answers(WitnessReply(status: 429, body: []))),
        ("failing", .answers(WitnessReply(status: 503, body: []))), ("empty", .answers(WitnessReply(status: 200, body: []))),
        ("talking", .answers(WitnessReply(status: 200, body: Array("hello\n".utf8)))),
        ("no size", .answers(WitnessReply(status: 409, body: Array("+5\n".utf8)))),
        ("always in conflict", .answers(WitnessReply(status: 409, body: Array("0\n".utf8)))),
        ("false", .falseSignature), ("of tomorrow", .clock(301)), ("of yesterday", .clock(-301)), ("hanging", .hanging),
    ]

    @Test("that misbehave delay nothing, and nothing false is kept", arguments: misbehaviours.indices)
    func misbehaving(index: Int) async throws {
        let rig = try LogRig(quorum: 3)
        let isHanging = Self.misbehaviours[index].0 == "hanging"
        // Within it the honest answer, on a busy machine too.
        let sequencer = rig.sequencer(limit: 50, timeout: isHanging ? .seconds(2) : .seconds(30))
        rig.witnesses[0].behave(Self.misbehaviours[index].1)
        rig.add(0..<300)
        try await rig.drain(sequencer)
        try await rig.expectSound(0..<300)
        let published = try published(rig)
        #expect(published.cosignatures.count == 2, "\(Self.misbehaviours[index].0)")
        #expect(try rig.policy.validate(published.served()).quorum == .missing)
        // Aside from the third failure on, and once a minute.
        let asked = rig.witnesses[0].requests
        for number in 300..<320 {
            rig.add([number])
            try await rig.drain(sequencer)
        }
        #expect(rig.witnesses[0].requests == asked)
        rig.witnesses[0].behave(.honest)
        rig.advance(61)
        try await sequencer.askAside()
        try await rig.drain(sequencer)
        #expect(rig.witnesses[0].requests > asked)
        let validated = try rig.policy.validate(try SignedNote(try #require(rig.store.bytes(rig.objects.checkpointKey))))
        #expect(validated.quorum != .missing && validated.cosigners.count == 3)
        rig.add([320])
        try await rig.drain(sequencer)
        #expect(try self.published(rig).cosignatures.count == 3, "it is asked with the others again")
    }

    @Test("that forget are shown the log from the start; one that goes back, from where it is")
    func forgetful() async throws {
        let rig = try LogRig()
        let sequencer = rig.sequencer(limit: 50)
        rig.add(0..<100)
        try await rig.drain(sequencer)
        let early = rig.witnesses[1].latest
        rig.add(100..<200)
        try await rig.drain(sequencer)
        rig.witnesses[0].forget()
        rig.witnesses[1].forget(to: early)
        rig.add(200..<300)
        try await rig.drain(sequencer)
        #expect(try published(rig).cosignatures.count == 3)
        try await rig.expectSound(0..<300)
    }

    @Test("that have another tree of ours freeze the log")
    func contradicting() async throws {
        let rig = try LogRig()
        let sequencer = rig.sequencer()
        rig.add(0..<100)
        try await rig.drain(sequencer)
        rig.witnesses[2].forget(to: TreeHead(size: 50, root: MerkleHash.empty))
        rig.add(100..<110)
        guard case .frozen(let freeze) = try await rig.drain(sequencer) else {
            Issue.record("not frozen")
            return
        }
        #expect(freeze.reason == .witnessRefuses && rig.log.rows.shards[0].publishedSize == 101)
    }

    @Test(
        "that have another tree and say so aside, while a round goes on, freeze the log: nothing is signed afterwards",
        arguments: SequencerPoint.allCases.filter { $0 != .led })
    func contradictingAside(point: SequencerPoint) async throws {
        let rig = try LogRig()
        let (armed, isThere, mayGoOn) = (Latch(), Latch(), Latch())
        let trigger = Trigger(point, at: 1)
        let sequencer = rig.sequencer { reached in
            guard armed.isOpen, trigger.fires(at: reached) else { return }
            isThere.open()
            while !mayGoOn.isOpen { try await Task.sleep(for: .milliseconds(1)) }
        }
        rig.add(0..<100)
        try await rig.drain(sequencer)
        rig.witnesses[2].behave(.unreachable)
        for number in 100..<104 {
            rig.add([number])
            try await rig.drain(sequencer)
        }
        rig.witnesses[2].forget(to: TreeHead(size: 50, root: MerkleHash.empty))
        rig.witnesses[2].behave(.honest)
        rig.advance(61)
        rig.add([104])
        armed.open()
        async let round = sequencer.turn()
        try await waitUntil("the round is there") { isThere.isOpen }
        try await sequencer.askAside()
        mayGoOn.open()
        var last = try await round
        if case .published = last {
            rig.advance(1)
            rig.add([105])
            last = try await sequencer.turn()
        }
        guard case .frozen(let freeze) = last else {
            Issue.record("\(last)")
            return
        }
        // What had its signature by then is published.
        let isSigned = point == .signed || SetBackTests.afterHead.contains(point)
        #expect(freeze.reason == .witnessRefuses && rig.log.rows.shards[0].publishedSize == (isSigned ? 106 : 105))
    }

    @Test("cosign an idle log again every hour; the first time stays, the newest is served")
    func renewed() async throws {
        let rig = try LogRig()
        let sequencer = rig.sequencer()
        rig.add(0..<5)
        try await rig.drain(sequencer)
        let asked = rig.witnesses[0].requests
        rig.advance(3000)
        #expect(try await sequencer.turn() == .idle)
        #expect(rig.witnesses[0].requests == asked)
        rig.advance(700)
        #expect(try await sequencer.turn() == .idle)
        #expect(rig.witnesses[0].requests == asked + 1)
        let served = try rig.policy.validate(try SignedNote(try #require(rig.store.bytes(rig.objects.checkpointKey))))
        #expect(served.cosigners.allSatisfy { Double($0.seconds) == rig.now.timeIntervalSince1970.rounded(.down) })
        #expect(try await sequencer.turn() == .idle)
        #expect(rig.witnesses[0].requests == asked + 1)
    }

    @Test("cosign an idle log again every hour while another one is away")
    func renewedWithoutOne() async throws {
        let rig = try LogRig()
        let sequencer = rig.sequencer()
        rig.witnesses[0].behave(.unreachable)
        rig.add(0..<5)
        try await rig.drain(sequencer)
        let asked = rig.witnesses[1].requests
        // The missing one is asked again and again meanwhile.
        for _ in 0..<360 {
            rig.advance(10)
            _ = try await sequencer.turn()
        }
        #expect(rig.witnesses[1].requests == asked + 1)
        let served = try rig.policy.validate(try SignedNote(try #require(rig.store.bytes(rig.objects.checkpointKey))))
        #expect(served.cosigners.count == 2)
        #expect(served.cosigners.allSatisfy { rig.now.timeIntervalSince1970 - Double($0.seconds) < 60 })
    }

    @Test("that missed the last checkpoint are asked again, soon")
    func askedAgain() async throws {
        let rig = try LogRig()
        let sequencer = rig.sequencer()
        try await rig.drain(sequencer)
        rig.witnesses[0].behave(.unreachable)
        rig.add(0..<5)
        rig.advance(1)
        _ = try await sequencer.turn()
        #expect(try published(rig).cosignatures.count == 2)
        rig.witnesses[0].behave(.honest)
        rig.advance(6)
        #expect(try await sequencer.turn() == .idle)
        #expect(try published(rig).cosignatures.count == 3)
    }

    /// How far the log's clock is ahead before it is set back.
    private static let ahead = 6 * 3600

    @Test("that are aside because the clock was ahead are asked as soon as it is set back")
    func asideClockSetBack() async throws {
        let rig = try LogRig(witnesses: ["w1"], quorum: 1)
        let sequencer = rig.sequencer()
        rig.advance(TimeInterval(Self.ahead))
        rig.witnesses[0].behave(.clock(-Self.ahead))
        for number in 0..<WitnessPanel.maximumFailures {
            rig.add([number])
            try await rig.drain(sequencer)
        }
        rig.advance(61)
        let requests = rig.witnesses[0].requests
        try await sequencer.askAside()
        #expect(rig.witnesses[0].requests > requests, "it is aside")
        #expect(try published(rig).cosignatures.isEmpty)
        rig.advance(-TimeInterval(Self.ahead))
        rig.witnesses[0].behave(.honest)
        try await sequencer.askAside()
        #expect(try published(rig).cosignatures.count == 1)
    }

    @Test("that missed the last checkpoint are asked again when the clock is set back")
    func missingClockSetBack() async throws {
        let rig = try LogRig(witnesses: ["w1"], quorum: 1)
        let sequencer = rig.sequencer()
        rig.witnesses[0].behave(.unreachable)
        try await rig.drain(sequencer)
        rig.witnesses[0].behave(.honest)
        rig.advance(-3600)
        #expect(try await sequencer.turn() == .idle)
        #expect(try published(rig).cosignatures.count == 1)
    }

    @Test("cosign an idle log again an hour after the last time, though they were asked while the clock was ahead")
    func renewedClockSetBack() async throws {
        let rig = try LogRig(witnesses: ["w1"], quorum: 1)
        let sequencer = rig.sequencer()
        try await rig.drain(sequencer)
        let first = try #require(try published(rig).cosignatures.first)
        rig.advance(TimeInterval(Self.ahead))
        rig.witnesses[0].behave(.clock(-Self.ahead))
        #expect(try await sequencer.turn() == .idle)
        #expect(try published(rig).cosignatures == [first])
        rig.advance(3700 - TimeInterval(Self.ahead))
        rig.witnesses[0].behave(.honest)
        #expect(try await sequencer.turn() == .idle)
        let renewed = try #require(try published(rig).cosignatures.first)
        #expect(renewed.seconds == UInt64(rig.now.timeIntervalSince1970) && renewed.seconds > first.seconds)
    }
}
