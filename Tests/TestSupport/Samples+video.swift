package import CaptureProtocol
import Foundation
package import Models
package import Site

/// Videos in all states that the page distinguishes.
extension Samples {
    /// What is told apart: the chain, the depth, what is published.
    package struct Video: Sendable {
        package var codec = "h264"
        package var codecs: String? = "avc1.64001F,mp4a.40.2"
        package var milliseconds: Int64 = 12_500
        package var frames = 375
        package var rotation = 0
        package var status = CheckStatus.pass
        package var reason: HashChainReason?
        package var verified: Int64 = 12_500
        package var breakAt: Int?
        package var checkpoints = [5000, 10_000]
        package var signed = 2
        package var verdict = DepthVerdict.real
        package var depth = CheckStatus.pass
        package var depthReason: DepthReason?
        package var suspicious: [Int] = []
        package var flat: [Int] = []
        package var keyframes = 125
        package var coherence: Double? = 0.91
        package var mode = CaptureMode.full
        package var hasPlayback = false
        package var hasDepthFrames = true
        package var evidence = Samples.Evidence(binding: .videoDepthMetadata)
        package var confidence = ConfidenceLevel.high

        package init() {}

        package func changed(_ change: (inout Video) -> Void) -> Video {
            var video = self
            change(&video)
            return video
        }

        package var temporal: VideoDepthMeasurements {
            let analyses = (0..<keyframes).map { number in
                VideoFrameAnalysis(
                    frame: number * 3, timeMilliseconds: number * 100,
                    relief: flat.contains(number) ? 0.03 : 0.3 + Double(number % 10) / 100,
                    verdict: flat.contains(number) ? .flat : .real, agreement: number == 0 ? nil : 0.96)
            }
            let knownReason = depthReason.flatMap { VideoDepthReason(rawValue: $0.rawValue) }
            return VideoDepthMeasurements(
                depthConsistency: 0.95, motionCoherence: coherence, sceneStability: 0.98, edgeAlignment: 0.083, realShare: 1, flatShare: 0,
                suspiciousFrames: suspicious.map { $0 * 3 }, frameAnalyses: analyses, relief: 0.34, minDepth: 0.42, maxDepth: 3.6,
                coverage: 0.94, verdict: verdict, specifiedRule: true, method: VideoDepthRule.method, reason: knownReason, rotation: 0,
                framing: .whole)
        }

        /// The page's record.
        package var record: PublicRecord {
            var package = evidence.package
            package.type = .video
            package.depthAnalysis = DepthAnalysisEvidence(
                status: depth, temporal: temporal, source: mode == .full ? .server : .device, reason: depthReason.map(StableWord.init),
                previewScale: DepthPreviewScale(near: 0.4, far: 3.6))
            package.video = VideoFacts(
                durationMilliseconds: milliseconds, frameCount: frames, codec: codec, width: 1920, height: 1080, rotation: rotation,
                hasAudio: true, startedAt: .exact(Samples.captured), endedAt: .exact(Samples.captured.addingTimeInterval(12.5)),
                codecs: codecs)
            let isComputed = reason != .reportedOnly && reason != .mediaNotStored
            let chain = HashChainEvidence(
                status: status, reason: reason, version: 2, isIntact: isComputed ? status != .fail : nil, isAttested: verified > 0,
                verifiedFrames: Int(verified) * 30 / 1000, totalFrames: frames, verifiedMilliseconds: verified,
                durationMilliseconds: milliseconds, breakAtFrame: breakAt,
                checkpoints: checkpoints.enumerated().map { index, time in
                    CheckpointEvidence(
                        index: index, frames: time * 30 / 1000, timeMilliseconds: Int64(time), isSigned: index < signed)
                })
            package.hashChain = chain
            package.partialAttestation = PartialAttestationEvidence(chain)
            return Samples.record(package, confidence, mode == .full ? .video : .hashOnlyVideo, media: mode == .full ? media : [:])
        }

        private var media: [MediaName: PublishedMedia] {
            var media: [MediaName: PublishedMedia] = [:]
            func publish(_ name: MediaName, _ size: PixelSize? = nil) {
                media[name] = PublishedMedia(
                    sha256: Samples.digest, sizeBytes: 20_000, link: "/media/\(Samples.id)/\(name.rawValue)?expires=1&signature=00",
                    size: size)
            }
            let isWide = rotation % 180 == 0
            publish(confidence == .suspicious ? .publicVideo : .signedVideo)
            publish(.poster, isWide ? PixelSize(1656, 932) : PixelSize(932, 1656))
            publish(.depthPreview, isWide ? PixelSize(768, 432) : PixelSize(432, 768))
            let (columns, rows) = (min(keyframes, 10), (keyframes + 9) / 10)
            if hasDepthFrames {
                publish(.depthFrames, isWide ? PixelSize(128 * columns, 96 * rows) : PixelSize(96 * columns, 128 * rows))
            }
            if hasPlayback { publish(.playback) }
            return media
        }
    }

    private static let hevc = "hvc1.1.6.L120.90,mp4a.40.2"
    private static let plain = Video()
    private static let unsigned = Evidence(
        hardware: .unavailable, hardwareReason: .noAssertion, credentials: .init(status: .withheld, reason: .hardwareNotPassed))

    /// Each with a name for the test's report.
    package static let videos: [(name: String, record: PublicRecord)] = [
        ("whole", plain.record),
        ("upright", plain.changed { $0.rotation = 90 }.record),
        (
            "partial",
            plain.changed { video in
                (video.status, video.reason, video.verified) = (.inconclusive, .partial, 10_000)
                (video.depth, video.depthReason, video.confidence) = (.inconclusive, .partlySigned, .medium)
                video.evidence = Evidence(binding: .checkpoint)
            }.record
        ),
        (
            "broken",
            plain.changed { video in
                (video.status, video.reason, video.verified, video.breakAt) = (.fail, .chainMismatch, 0, 200)
                (video.signed, video.confidence) = (0, .suspicious)
            }.record
        ),
        (
            "reported only",
            plain.changed { video in
                (video.status, video.reason, video.verified, video.checkpoints) = (.inconclusive, .reportedOnly, 0, [])
                video.evidence = Evidence(hardware: .inconclusive, hardwareReason: .mediaNotBound)
                video.confidence = .medium
            }.record
        ),
        (
            "unsigned",
            plain.changed { video in
                (video.status, video.reason, video.verified, video.signed) = (.inconclusive, .unsigned, 0, 0)
                (video.evidence, video.confidence) = (unsigned, .medium)
            }.record
        ),
        (
            "flat",
            plain.changed { video in
                (video.verdict, video.depth, video.depthReason) = (.flat, .inconclusive, .flatSurface)
                (video.flat, video.confidence) = (Array(0..<125), .medium)
            }.record
        ),
        (
            "undecided",
            plain.changed { video in
                (video.verdict, video.depth, video.depthReason) = (.undecided, .inconclusive, .depthNotOfVideo)
                (video.suspicious, video.coherence, video.confidence) = ([7], nil, .medium)
            }.record
        ),
        ("HEVC", plain.changed { ($0.codec, $0.codecs, $0.hasPlayback) = ("hevc", hevc, true) }.record),
        ("no playback copy", plain.changed { ($0.codec, $0.codecs) = ("hevc", hevc) }.record),
        ("few keyframes", plain.changed { $0.keyframes = 4 }.record),
        ("no depth frames", plain.changed { $0.hasDepthFrames = false }.record),
        (
            "hash only",
            plain.changed { video in
                (video.mode, video.status, video.reason, video.verified) = (.hashOnly, .unavailable, .mediaNotStored, 0)
                (video.checkpoints, video.evidence) = ([], Evidence(binding: .payload, source: .device))
            }.record
        ),
        (
            "processing",
            record(nil as Evidence?, nil, status: .processing, kind: .video, hasPlace: true, finished: [.attestation], media: [:])
        ),
    ]

    package static func video(named name: String) -> PublicRecord {
        guard let video = videos.first(where: { $0.name == name }) else { preconditionFailure("there is no video \(name)") }
        return video.record
    }

    /// A complete record with this evidence.
    private static func record(
        _ evidence: EvidencePackage, _ confidence: ConfidenceLevel, _ kind: CaptureKind, media: [MediaName: PublishedMedia]
    ) -> PublicRecord {
        PublicRecord(
            id: id, kind: kind, status: .complete, failure: nil, confidence: confidence, mediaHash: digest, capturedAt: .exact(captured),
            receivedAt: .exact(received), evidence: evidence.publicForm(sharing: .everything), hasPlace: false, model: "iPhone 15 Pro",
            isDevelopment: false, signedAt: captured.addingTimeInterval(3), issuer: nil, finished: [], media: media)
    }
}
