import CaptureProtocol
import Foundation
import Models
import SimulatedDevice
import TestSupport
import Testing

@testable import AttestationVerifier

/// Videos through the handler: the tables of SPEC §10.4 and §10.5.
@Suite("Appraisal of videos", .sharedSchema("video_appraisals"))
struct AppraiseVideoTests {
    @Test("a whole recording passes, with its chain intact and its counters consumed in order", arguments: Backend.available)
    func whole(backend: Backend) async throws {
        let run = try await Run(backend)
        let findings = try await run.appraise(run.video)
        #expect(findings.appraisal == .pass(.init(binding: .videoDepthMetadata, counter: 3, isOutOfOrder: false)))
        let chain = try #require(findings.hashChain)
        #expect(chain.status == .pass && chain.reason == nil && chain.version == 2 && chain.isIntact == true && chain.isAttested)
        #expect(chain.verifiedFrames == 120 && chain.totalFrames == 120 && chain.breakAtFrame == nil)
        #expect(chain.verifiedMilliseconds == 12_000 && chain.durationMilliseconds == 12_000)
        #expect(
            chain.checkpoints == [
                .init(index: 0, frames: 50, timeMilliseconds: 5000, isSigned: true),
                .init(index: 1, frames: 100, timeMilliseconds: 10_000, isSigned: true),
            ])
    }

    @Test("a recording without sound passes")
    func silent() async throws {
        let run = try await Run(.memory, hasSound: false)
        #expect(try await run.appraise(run.video).hashChain?.status == .pass)
    }

    @Test("without its end a recording is verified up to the last signed checkpoint", arguments: Backend.available)
    func partial(backend: Backend) async throws {
        let run = try await Run(backend)
        let findings = try await run.appraise(run.video) { $0.assertion = nil }
        #expect(findings.appraisal == .pass(.init(binding: .checkpoint, counter: 2, isOutOfOrder: false)))
        let chain = try #require(findings.hashChain)
        #expect(chain.status == .inconclusive && chain.reason == StableWord(.partial) && chain.isIntact == true && chain.isAttested)
        #expect(chain.verifiedFrames == 100 && chain.verifiedMilliseconds == 10_000 && chain.durationMilliseconds == 12_000)
        #expect(PartialAttestationEvidence(chain).isPartial && PartialAttestationEvidence(chain).checkpointIndex == 1)
    }

    @Test("with the second checkpoint unsigned it is verified up to the first")
    func firstCheckpoint() async throws {
        let run = try await Run(.memory)
        let findings = try await run.appraise(run.video) { video in
            video.assertion = nil
            video.chain = video.chain.with(assertions: [video.chain.checkpoints[0].assertion, nil])
            try video.describe()
        }
        #expect(findings.appraisal == .pass(.init(binding: .checkpoint, counter: 1, isOutOfOrder: false)))
        #expect(findings.hashChain?.verifiedMilliseconds == 5000 && findings.hashChain?.verifiedFrames == 50)
        #expect(findings.hashChain?.checkpoints.map(\.isSigned) == [true, false])
    }

    @Test("cut at a checkpoint, with its last frame made to last longer, it is verified up to the checkpoint's time")
    func lengthened() async throws {
        let run = try await Run(.memory)
        let findings = try await run.appraise(run.video) { video in
            let first = video.chain.checkpoints[0]
            video.frames.removeLast(70)
            video.maps = video.maps.filter { $0.key < 50 }
            video.lastDuration = 10 * RecordedVideo.timescale
            video.writeFile()
            try video.writeDepth()
            try video.record { _ in nil }
            video.chain = video.chain.with(checkpoints: [first])
            try video.describe()
        }
        #expect(findings.appraisal == .pass(.init(binding: .checkpoint, counter: 1, isOutOfOrder: false)))
        let chain = try #require(findings.hashChain)
        #expect(chain.reason == StableWord(.partial) && chain.verifiedFrames == 50 && chain.totalFrames == 50)
        #expect(chain.verifiedMilliseconds == 5000 && chain.durationMilliseconds == 14_900)
        #expect(chain.checkpoints.map(\.timeMilliseconds) == [5000])
    }

    @Test("another tail leaves the signed beginning verified; another head does not")
    func spliced() async throws {
        let run = try await Run(.memory)
        let genuine = run.video.chain.checkpoints
        func spliced(at frame: Int) async throws -> HashChainEvidence? {
            try await run.appraise(run.video) { video in
                video.frames[frame] = [0xee]
                video.writeFile()
                try video.record { _ in nil }
                // Whoever cannot sign keeps the checkpoints as they were signed.
                video.chain = video.chain.with(checkpoints: genuine)
                try video.describe()
            }.hashChain
        }
        let tail = try #require(try await spliced(at: 110))
        #expect(tail.status == .inconclusive && tail.reason == StableWord(.partial) && tail.verifiedFrames == 100)
        let head = try #require(try await spliced(at: 70))
        #expect(head.status == .fail && head.reason == StableWord(.chainMismatch) && head.verifiedFrames == 0 && head.isIntact == false)
    }

    @Test("a frame that was changed under the signed chain breaks it there", arguments: [0, 49, 50, 119])
    func changed(frame: Int) async throws {
        let run = try await Run(.memory)
        let chain = try #require(
            try await run.appraise(run.video) { video in
                video.frames[frame] = video.frames[frame].map { $0 ^ 1 }
                video.writeFile()
            }.hashChain)
        #expect(chain.status == .fail && chain.breakAtFrame == frame && chain.verifiedFrames == 0)
    }

    @Test("frames that are dropped, doubled or exchanged break it where that happened")
    func reordered() async throws {
        let run = try await Run(.memory)
        func breakAt(_ change: (inout RecordedVideo) -> Void) async throws -> Int? {
            try await run.appraise(run.video) { video in
                change(&video)
                video.writeFile()
            }.hashChain?.breakAtFrame
        }
        #expect(try await breakAt { $0.frames.remove(at: 30) } == 30)
        #expect(try await breakAt { $0.frames.insert($0.frames[29], at: 30) } == 30)
        #expect(try await breakAt { $0.frames.swapAt(40, 41) } == 40)
        #expect(try await breakAt { $0.frames.removeLast() } == 119)
    }

    @Test("other sound, or other depth, is found")
    func soundAndDepth() async throws {
        let run = try await Run(.memory)
        let sound = try await run.appraise(run.video) { video in
            video.packets[3][0] ^= 1
            video.writeFile()
        }
        #expect(sound.hashChain?.status == .fail && sound.hashChain?.breakAtFrame == nil)
        let depth = try await run.appraise(run.video) { video in
            video.maps[60] = [1, 2, 3, 4]
            try video.writeDepth()
        }
        #expect(depth.hashChain?.status == .fail && depth.hashChain?.breakAtFrame == 60)
    }

    @Test("without any assertion nothing is verified, and nothing held against it")
    func unsigned() async throws {
        let run = try await Run(.memory)
        let findings = try await run.appraise(run.video) { try $0.record { _ in nil } }
        #expect(findings.appraisal == .unavailable(.noAssertion))
        #expect(findings.hashChain?.status == .inconclusive && findings.hashChain?.reason == StableWord(.unsigned))
        #expect(findings.hashChain?.isIntact == true && findings.hashChain?.isAttested == false && findings.hashChain?.verifiedFrames == 0)
    }

    @Test("a final assertion that does not verify fails, whatever the checkpoints are")
    func badFinal() async throws {
        let run = try await Run(.memory)
        let findings = try await run.appraise(run.video) { video in video.metadata += Array(" ".utf8) }
        #expect(findings.appraisal == .fail(.badSignature))
        #expect(findings.hashChain?.reason == StableWord(.unsigned) && findings.hashChain?.isAttested == false)
    }

    @Test("a checkpoint of another key, and checkpoints that are exchanged, fail")
    func badCheckpoints() async throws {
        let run = try await Run(.memory)
        let other = try await run.appraise(run.video) { video in
            var stranger = SimulatedDevice()
            let hash = ContentDigest.zero
            video.chain = video.chain.with(assertions: [
                try stranger.assertion(clientDataHash: hash.bytes), video.chain.checkpoints[1].assertion,
            ])
            try video.describe()
            video.assertion = nil
        }
        #expect(other.appraisal == .fail(.checkpointInvalid))
        let exchanged = try await run.appraise(run.video) { video in
            video.chain = video.chain.with(assertions: video.chain.checkpoints.reversed().map(\.assertion))
            try video.describe()
            video.assertion = nil
        }
        #expect(exchanged.appraisal == .fail(.checkpointInvalid))
    }

    @Test(
        "counters rise from checkpoint to checkpoint to the end", arguments: [[2, 1, 3], [1, 3, 2], [1, 1, 2], [5, 6, 4]] as [[UInt32]])
    func order(counters: [UInt32]) async throws {
        let run = try await Run(.memory)
        let findings = try await run.appraise(run.video) { video in
            var left = counters
            var device = run.device
            try video.record { try device.assertion(clientDataHash: $0.bytes, counter: left.removeFirst()) }
        }
        #expect(findings.appraisal == .fail(.counterOrder))
    }

    @Test("the same recording again without its end is a replay", arguments: Backend.available)
    func replay(backend: Backend) async throws {
        let run = try await Run(backend)
        #expect(try await run.appraise(run.video).appraisal.status == .pass)
        let again = try await run.appraise(run.video) { $0.assertion = nil }
        #expect(again.appraisal == .fail(.counterReplay))
        #expect(again.hashChain?.verifiedFrames == 0 && again.hashChain?.reason == StableWord(.unsigned))
    }

    @Test("of a recording whose end does not verify the checkpoints' counters are consumed all the same")
    func consumed() async throws {
        let run = try await Run(.memory)
        _ = try await run.appraise(run.video) { $0.assertion = nil }
        #expect(try await run.appraise(run.video).appraisal == .fail(.counterReplay))
    }

    @Test("an unverified device's recording, and a revoked one's")
    func devices() async throws {
        let run = try await Run(.memory)
        let note = try #require(OperatorNote([]))
        #expect(try await run.rig.devices.apply(.revoked, to: run.id, note))
        let revoked = try await run.appraise(run.video)
        #expect(revoked.appraisal == .fail(.deviceRevoked) && revoked.hashChain?.isIntact == true)
    }

    @Test("the original layout is reported only, its signature covers nothing, and its counter is consumed", arguments: Backend.available)
    func original(backend: Backend) async throws {
        let run = try await Run(backend)
        let video = try run.originalLayout()
        let findings = try await run.appraise(video)
        #expect(findings.appraisal == .inconclusive(.mediaNotBound))
        let evidence = try #require(findings.hashChain)
        #expect(evidence.status == .inconclusive && evidence.reason == StableWord(.reportedOnly) && evidence.version == 1)
        #expect(evidence.isIntact == nil && evidence.verifiedFrames == 0 && evidence.totalFrames == 120)
        #expect(try await run.appraise(video).appraisal == .fail(.counterReplay))
    }

    @Test("of the original layout too the stored file must be the accepted one")
    func originalDamaged() async throws {
        let run = try await Run(.memory)
        await #expect {
            try await run.appraise(run.originalLayout(), damaging: "original.mp4")
        } throws: { ($0 as? RejectedMessage)?.reason == .digestMismatch }
    }

    @Test("stored bytes that are not those that were accepted are rejected", arguments: ["original.mp4", "depth.gz", "hash-chain.json"])
    func damaged(name: String) async throws {
        let run = try await Run(.memory)
        await #expect {
            try await run.appraise(run.video, damaging: name)
        } throws: { ($0 as? RejectedMessage)?.reason == .digestMismatch }
    }

    @Test("bytes that changed in the store are rejected as that, however early they are", arguments: [MediaName.originalVideo, .depth])
    func changed(name: MediaName) async throws {
        let run = try await Run(.memory)
        let capture = try await run.rig.accept(run.video, by: run.id).captureID
        run.rig.store.stream(inPiecesOf: 64)
        // In the name of the box ftyp, or in the header of gzip.
        run.rig.store.damage(name.key(of: capture), at: name == .depth ? 2 : 5)
        await #expect {
            try await run.rig.handleVideo(capture)
        } throws: { ($0 as? RejectedMessage)?.reason == .digestMismatch }
    }
}

/// A registered device, its recording and a handler.
private struct Run {
    let rig: any VerifierRig
    let id: DeviceID
    let video: RecordedVideo
    /// After it signed the recording.
    let device: SimulatedDevice

    init(_ backend: Backend, hasSound: Bool = true) async throws {
        let rig = try backend.rig()
        var device = SimulatedDevice()
        id = try await rig.register(device)
        self.rig = rig
        video = try RecordedVideo(hasSound: hasSound, startedAt: Fixture.now) { try device.assertion(clientDataHash: $0.bytes) }
        self.device = device
    }

    /// The recording with a chain, metadata and an assertion of the original layout (SPEC §10.5).
    func originalLayout() throws -> RecordedVideo {
        var (video, device) = (video, device)
        let final = ContentDigest(of: [1])
        video.chainBytes = Array(
            #"{"frame_hashes":["\#(Base64.encode(final.bytes))"],"checkpoints":[],"final_hash":"\#(Base64.encode(final.bytes))"}"#.utf8)
        video.metadata = Array(#"{"type":"video","started_at":"2026-11-21T07:00:00Z","device_model":"iPhone 15 Pro"}"#.utf8)
        video.assertion = try device.assertion(clientDataHash: ContentDigest(of: final.bytes).bytes)
        return video
    }

    func appraise(
        _ recorded: RecordedVideo, damaging damaged: String? = nil, _ change: (inout RecordedVideo) throws -> Void = { _ in }
    ) async throws -> AttestationFindings {
        var video = recorded
        try change(&video)
        let announcement = try await rig.accept(video, by: id, damaging: damaged)
        try await rig.handleVideo(announcement.captureID)
        return try #require(try await rig.findings(announcement.captureID))
    }
}

extension HashChain {
    func with(assertions: [[UInt8]?]) -> HashChain { with(checkpoints: zip(checkpoints, assertions).map { $0.signed($1) }) }

    func with(checkpoints: [VideoCheckpoint]) -> HashChain {
        HashChain(
            frameHashes: frameHashes, finalHash: finalHash, soundFrames: soundFrames, soundFinalHash: soundFinalHash,
            checkpoints: checkpoints)
    }
}
