import CaptureProtocol
import Foundation
import Models
import Movie

/// The body of a video capture whose parts have the right form, ready to be recorded. Whether chain, depth and file agree is evidence, not
/// form (SPEC §10.1).
struct VideoSubmission: MediaSubmitting {
    let content: VideoContent
    let metadataBytes: [UInt8]
    let metadata: VideoMetadata
    let hashChain: [UInt8]
    let assertion: [UInt8]?
    let detection: DetectionReport?

    /// Checks parts, metadata, video, depth data and hash chain, in that order.
    init(_ body: VideoParts.Received, of id: CaptureID) throws(CaptureError) {
        guard let video = body.video, video.sizeBytes > 0 else { throw .invalid(part: .video, "is missing") }
        guard let depth = body.depth, depth.sizeBytes > 0 else { throw .invalid(part: .depthData, "is missing") }
        for part in [UploadPart.hashChain, .metadata] where !body.small.has(part) { throw .invalid(part: part, "is missing") }
        metadataBytes = try body.small.bytes(of: .metadata, atMost: SizeLimits.metadata, .metadata) ?? []
        // A hash chain that is too large is refused in its turn.
        let chain = Result { () throws(CaptureError) in
            try body.small.bytes(of: .hashChain, atMost: SizeLimits.hashChain, .hashChain) ?? []
        }
        metadata = try Self.metadata(metadataBytes, isOriginalLayout: (try? chain.get()).map(SubmittedHashChain.isOriginalLayout) ?? false)
        assertion = try body.small.assertion(orInMetadata: metadata.assertion)
        detection = try body.small.detection()
        if let claimed = metadata.videoHash, claimed != video.sha256 {
            throw .invalid("video_hash", "is not the video's SHA-256", .metadata)
        }
        let movie = try Self.movie(body)
        if let problem = body.depthProblem { throw .invalid(part: .depthData, problem, .depth) }
        hashChain = try chain.get()
        try Self.check(hashChain)
        content = VideoContent(
            video: video, depth: depth,
            hashChain: StoredMedia(hashChain, as: .hashChain, of: id), moov: movie.moov)
    }

    var kept: [(name: MediaName, bytes: [UInt8])] { [(.metadata, metadataBytes), (.hashChain, hashChain)] }

    /// Without an assertion the hash chain tells captures of the same video apart.
    func capture(_ id: CaptureID, device: DeviceID, receivedAt: Date) -> NewCapture {
        NewCapture(
            announcement: CaptureAnnouncement(
                captureID: id, deviceID: device, content: .video(content), metadata: metadataBytes, assertion: assertion,
                receivedAt: receivedAt),
            mediaHash: content.video.sha256, depthHash: content.depth.sha256,
            assertionHash: assertion.map { ContentDigest(of: $0) } ?? content.hashChain.sha256, capturedAt: .exact(metadata.startedAt),
            flags: nil, location: metadata.location, detection: detection)
    }

    private static func metadata(_ bytes: [UInt8], isOriginalLayout: Bool) throws(CaptureError) -> VideoMetadata {
        do {
            return try VideoMetadata.parse(bytes, isOriginalLayout: isOriginalLayout)
        } catch {
            // An assertion that is not base64 has its own error code.
            throw .invalid(error.field, error.problem, error.isOfAssertion ? .assertion : .metadata)
        }
    }

    private static func movie(_ body: VideoParts.Received) throws(CaptureError) -> Movie {
        switch body.movie {
        case .success(let movie): return movie
        case .failure(let error) where error.isNotMovie: throw .invalid(part: .video, "is not an MP4 or QuickTime file", .mediaType)
        case .failure(let error): throw .invalid(part: .video, error.message, .video)
        case nil: throw .invalid(part: .video, "is missing")
        }
    }

    private static func check(_ hashChain: [UInt8]) throws(CaptureError) {
        let submitted: SubmittedHashChain
        do {
            submitted = try SubmittedHashChain.parse(hashChain)
        } catch {
            throw .invalid(error.field, error.problem, .hashChain)
        }
        guard case .chain(let chain) = submitted else { return }
        for checkpoint in chain.checkpoints {
            guard let assertion = checkpoint.assertion else { continue }
            _ = try CollectedParts.checked(assertion, field: "\(UploadPart.hashChain.rawValue).checkpoints", .hashChain)
        }
    }
}
