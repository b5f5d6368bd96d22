public import CaptureProtocol
import Foundation

extension HashOnlySamples {
    /// Of a scene with relief that moved.
    public static let videoDepth = SignedVideoDepth(
        durationMilliseconds: 2000, depthConsistency: 0.97, motionCoherence: 0.9, sceneStability: 1, edgeAlignment: 0.09, realShare: 0.95,
        flatShare: 0.05,
        keyframes: 20,
        suspiciousFrames: [9], relief: 0.4, minDepth: 0.9, maxDepth: 5.2, coverage: 0.98, reason: nil)

    /// A video, of two seconds by itself, that began seven seconds before ``receipt``.
    public static func video(
        sharing flags: MetadataFlags = .everything, depth: SignedVideoDepth? = videoDepth, frames: Int = 60,
        durationMilliseconds: Int = videoDepth.durationMilliseconds
    ) -> HashOnlyPayload {
        HashOnlyPayload(
            mediaHash: mediaHash,
            facts: HashOnlyPayload.Facts(
                capturedAt: receipt.addingTimeInterval(-7), location: nil, deviceModel: model, osVersion: "26.1", appVersion: "1.0.0"),
            sharing: flags,
            video: SignedVideo(
                durationMilliseconds: durationMilliseconds, frameCount: frames, finalHash: ContentDigest(of: [8]), depth: depth))
    }
}
