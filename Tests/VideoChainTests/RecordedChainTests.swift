import CaptureProtocol
import Models
import Testing
import VideoChain

/// The table of SPEC §10.4.
@Suite("The check of a video's chain")
struct RecordedChainTests {
    private static let end = HardwareAppraisal.pass(SignedCapture(binding: .videoDepthMetadata, counter: 2))
    private static let checkpoint = HardwareAppraisal.pass(SignedCapture(binding: .checkpoint, counter: 1))

    private func evidence(
        of recorded: ShortRecording = ShortRecording(), isVerified: Bool = true, _ hardware: HardwareAppraisal
    ) -> HashChainEvidence {
        RecordedChain(
            recorded.movie, comparison: recorded.compare(), checkpoints: recorded.checkpoints.map { ($0, isVerified) }
        ).evidence(hardware)
    }

    @Test("passes as a whole if it is intact and the end is signed")
    func whole() {
        let found = evidence(Self.end)
        #expect(found.status == .pass && found.reason == nil && found.version == 2 && found.isIntact == true && found.isAttested)
        #expect(found.verifiedFrames == 12 && found.totalFrames == 12 && found.breakAtFrame == nil)
        #expect(found.verifiedMilliseconds == 400 && found.durationMilliseconds == 400)
        #expect(found.checkpoints == [.init(index: 0, frames: 6, timeMilliseconds: 200, isSigned: true)])
    }

    @Test("is verified up to the last signed checkpoint if the end is not signed, and not at all if none is")
    func partial() {
        let found = evidence(Self.checkpoint)
        #expect(found.status == .inconclusive && found.reason == StableWord(.partial) && found.isIntact == true && found.isAttested)
        #expect(found.verifiedFrames == 6 && found.verifiedMilliseconds == 200)
        let unverified = evidence(isVerified: false, Self.checkpoint)
        #expect(unverified.status == .inconclusive && unverified.reason == StableWord(.partial))
        #expect(unverified.verifiedFrames == 0 && unverified.verifiedMilliseconds == 0)
        #expect(unverified.checkpoints.map(\.isSigned) == [false])
    }

    @Test("a checkpoint covers no more than the time that its signature states")
    func statedTime() {
        var recorded = ShortRecording()
        let point = recorded.checkpoints[0]
        recorded.checkpoints = [
            VideoCheckpoint(
                index: 0, frames: 12, hash: recorded.finalHash, soundFrames: point.soundFrames, soundHash: point.soundHash, assertion: nil)
        ]
        recorded.durationMilliseconds = 60_000
        let found = evidence(of: recorded, Self.checkpoint)
        #expect(found.isIntact == true && found.verifiedFrames == 12 && found.verifiedMilliseconds == 5000)
        #expect(found.checkpoints.map(\.timeMilliseconds) == [5000])
    }

    @Test(
        "is unsigned, whatever the checkpoints say, if the hardware check does not pass",
        arguments: [HardwareAppraisal.fail(.badSignature), .inconclusive(.mediaNotBound), .unavailable(.noAssertion)])
    func unsigned(hardware: HardwareAppraisal) {
        let found = evidence(hardware)
        #expect(found.status == .inconclusive && found.reason == StableWord(.unsigned) && found.isIntact == true && !found.isAttested)
        #expect(found.verifiedFrames == 0 && found.verifiedMilliseconds == 0 && found.checkpoints.map(\.isSigned) == [false])
    }

    @Test("fails where it breaks, even if the end is signed")
    func broken() {
        var recorded = ShortRecording()
        recorded.frames[7] = .zero
        let found = evidence(of: recorded, Self.end)
        #expect(found.status == .fail && found.reason == StableWord(.chainMismatch) && found.isIntact == false)
        #expect(found.breakAtFrame == 7 && found.verifiedFrames == 0 && found.verifiedMilliseconds == 0)
    }

    @Test("has no signed checkpoint where it breaks: signed are the hashes that were sent", arguments: [checkpoint, end])
    func brokenCheckpoint(hardware: HardwareAppraisal) {
        var recorded = ShortRecording()
        recorded.frames[7] = .zero
        let found = evidence(of: recorded, hardware)
        #expect(found.status == .fail && found.checkpoints.map(\.isSigned) == [false])
        #expect(found.isAttested == (hardware == Self.end), "the end signs the video itself")
        #expect(PartialAttestationEvidence(found).checkpointIndex == nil)
    }

    @Test("of the original layout is reported only, whatever the hardware check says", arguments: [end, .inconclusive(.mediaNotBound)])
    func original(hardware: HardwareAppraisal) {
        let found = RecordedChain(ShortRecording().movie, comparison: nil, checkpoints: []).evidence(hardware)
        #expect(found.status == .inconclusive && found.reason == StableWord(.reportedOnly) && found.version == 1 && found.isIntact == nil)
        #expect(found.verifiedFrames == 0 && found.totalFrames == 12 && found.checkpoints.isEmpty)
    }
}
