import Attestation
import CaptureProtocol
import Foundation
import Models
import Movie
import VideoChain

/// The signatures and the chain of a video before the counter check.
struct AppraisedRecording: Sendable {
    let appraisal: HardwareAppraisal
    /// Of all assertions that verify, in the order in which they were made.
    let counters: [UInt32]
    let chain: RecordedChain

    init(_ signatures: RecordingSignatures, _ chain: RecordedChain) {
        appraisal = signatures.appraisal
        counters = signatures.counters
        self.chain = chain
    }
}

/// The appraisal of all assertions of a recording (SPEC §10.4), except whether their counters are new.
struct RecordingSignatures: Sendable {
    let appraisal: HardwareAppraisal
    /// Of all assertions that verify, in the order in which they were made.
    let counters: [UInt32]
    /// For each checkpoint whether its assertion verifies.
    let verifiedCheckpoints: [Bool]

    /// - Parameters:
    ///   - assertion: over the whole recording; `nil` if none was sent.
    ///   - hash: its client data hash.
    init(
        of chain: HashChain, final assertion: [UInt8]?, over hash: ContentDigest, by device: RegisteredDevice,
        _ appraiser: CaptureAppraiser,
        at receivedAt: Date
    ) {
        let checkpoints = chain.checkpoints.map { checkpoint in
            checkpoint.assertion.map {
                appraiser.appraise(
                    $0, by: device, over: [(.checkpoint, VideoClientData.hash(of: checkpoint))], receivedAt: receivedAt)
            }
        }
        let final = assertion.map {
            appraiser.appraise($0, by: device, over: [(.videoDepthMetadata, hash)], receivedAt: receivedAt)
        }
        let present = checkpoints.compactMap(\.self) + (final.map { [$0] } ?? [])
        counters = present.compactMap { $0.signed?.counter }
        verifiedCheckpoints = checkpoints.map { $0?.signed != nil }
        let isRising = zip(counters, counters.dropFirst()).allSatisfy(<)
        if let contradiction = Self.contradiction(checkpoints.compactMap(\.self), final) {
            appraisal = contradiction
        } else if !isRising {
            appraisal = .fail(.counterOrder)
        } else {
            // Without any assertion the device's state decides.
            appraisal = present.last ?? appraiser.appraise(nil, by: device, over: [], receivedAt: receivedAt)
        }
    }

    /// In the original layout an assertion covers nothing that was uploaded (SPEC §10.5).
    init(
        original assertion: [UInt8]?, over chain: OriginalHashChain, by device: RegisteredDevice, _ appraiser: CaptureAppraiser,
        at receivedAt: Date
    ) {
        let candidates = VideoClientData.original(finalHash: chain.finalHash).map { (AssertionBinding.checkpoint, $0) }
        let found = appraiser.appraise(assertion, by: device, over: candidates, receivedAt: receivedAt)
        counters = found.signed.map { [$0.counter] } ?? []
        verifiedCheckpoints = []
        switch found {
        case .pass: appraisal = .inconclusive(.mediaNotBound)
        case .fail, .inconclusive: appraisal = found
        case .unavailable(let reason, _): appraisal = .unavailable(reason, signed: nil)
        }
    }

    /// Every assertion that is there must verify.
    private static func contradiction(_ checkpoints: [HardwareAppraisal], _ final: HardwareAppraisal?) -> HardwareAppraisal? {
        for case .fail(let reason) in checkpoints {
            return reason == StableWord(.deviceRevoked) ? .fail(reason) : .fail(.checkpointInvalid)
        }
        if case .fail(let reason)? = final { return .fail(reason) }
        return nil
    }
}

/// What the file gives of the chain.
struct RecordedChain: Sendable {
    private let video: VideoTrack
    private let durationMilliseconds: Int64
    /// `nil` for the original layout, which cannot be computed again.
    private let comparison: ChainComparison?
    private let checkpoints: [(checkpoint: VideoCheckpoint, isVerified: Bool)]

    /// - Parameter checkpoints: each with whether its assertion verifies.
    init(_ movie: Movie, comparison: ChainComparison?, checkpoints: [(checkpoint: VideoCheckpoint, isVerified: Bool)]) {
        video = movie.video
        durationMilliseconds = movie.durationMilliseconds
        self.comparison = comparison
        self.checkpoints = checkpoints
    }

    /// - Parameter hardware: after the counter check.
    func evidence(_ hardware: HardwareAppraisal) -> HashChainEvidence {
        let (status, reason, verified) = status(hardware)
        let isAttested = hardware.status == .pass
        return HashChainEvidence(
            status: status, reason: reason, version: comparison == nil ? 1 : HashChain.version, isIntact: comparison?.isIntact,
            isAttested: isAttested, verifiedFrames: verified.frames, totalFrames: video.samples.count,
            verifiedMilliseconds: verified.milliseconds,
            durationMilliseconds: durationMilliseconds, breakAtFrame: comparison?.breakAtFrame,
            checkpoints: checkpoints.map { checkpoint, isVerified in
                CheckpointEvidence(
                    index: Int(checkpoint.index), frames: checkpoint.frames,
                    timeMilliseconds: milliseconds(to: checkpoint),
                    isSigned: isVerified && isAttested)
            })
    }

    /// The table of SPEC §10.4.
    private func status(
        _ hardware: HardwareAppraisal
    ) -> (CheckStatus, HashChainReason?, verified: (frames: Int, milliseconds: Int64)) {
        let nothing = (frames: 0, milliseconds: Int64(0))
        guard let comparison else { return (.inconclusive, .reportedOnly, nothing) }
        guard comparison.isIntact else { return (.fail, .chainMismatch, nothing) }
        guard case .pass(let signed) = hardware else { return (.inconclusive, .unsigned, nothing) }
        if signed.binding == .videoDepthMetadata { return (.pass, nil, (video.samples.count, durationMilliseconds)) }
        guard let last = checkpoints.last(where: { $0.isVerified })?.checkpoint else { return (.inconclusive, .partial, nothing) }
        return (.inconclusive, .partial, (last.frames, milliseconds(to: last)))
    }

    /// How much of the video a checkpoint covers. No hash says how long the last of its frames lasts or what follows, so that this is at
    /// most the time that its signature states, at which the next frame was due.
    private func milliseconds(to checkpoint: VideoCheckpoint) -> Int64 {
        min(
            video.verifiedMilliseconds(of: checkpoint.frames, duration: durationMilliseconds),
            CheckpointClock.milliseconds(of: checkpoint.index))
    }
}
