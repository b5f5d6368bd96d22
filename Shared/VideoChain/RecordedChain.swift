public import CaptureProtocol
public import Models
public import Movie

/// The result of recomputing a video's hash chain.
public struct RecordedChain: Sendable {
    private let video: VideoTrack
    private let durationMilliseconds: Int64
    /// `nil` for the original layout, which cannot be computed again.
    private let comparison: ChainComparison?
    private let checkpoints: [(checkpoint: VideoCheckpoint, isVerified: Bool)]

    /// - Parameter checkpoints: each with whether its assertion verifies.
    public init(_ movie: Movie, comparison: ChainComparison?, checkpoints: [(checkpoint: VideoCheckpoint, isVerified: Bool)]) {
        video = movie.video
        durationMilliseconds = movie.durationMilliseconds
        self.comparison = comparison
        self.checkpoints = checkpoints
    }

    /// The check of the chain (SPEC §10.4).
    /// - Parameter hardware: after the counter check.
    public func evidence(_ hardware: HardwareAppraisal) -> HashChainEvidence {
        let (status, reason, verified) = status(hardware)
        let isIntact = comparison?.isIntact == true
        // Where the chain is broken, a checkpoint covers nothing of this video.
        let isAttested =
            if case .pass(let signed) = hardware {
                !signed.binding.signedParts(isChainIntact: isIntact).isEmpty
            } else {
                false
            }
        return HashChainEvidence(
            status: status, reason: reason, version: comparison == nil ? 1 : HashChain.version, isIntact: comparison?.isIntact,
            isAttested: isAttested, verifiedFrames: verified.frames, totalFrames: video.samples.count,
            verifiedMilliseconds: verified.milliseconds,
            durationMilliseconds: durationMilliseconds, breakAtFrame: comparison?.breakAtFrame,
            checkpoints: checkpoints.map { checkpoint, isVerified in
                CheckpointEvidence(
                    index: Int(checkpoint.index), frames: checkpoint.frames,
                    timeMilliseconds: milliseconds(to: checkpoint),
                    // The signature is over the hashes that were sent.
                    isSigned: isVerified && isAttested && isIntact)
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
