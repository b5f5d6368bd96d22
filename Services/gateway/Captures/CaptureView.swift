import CaptureProtocol
import Foundation
import Models

/// The body of `GET /api/v1/captures/{id}` (SPEC §6).
struct CaptureView: Encodable {
    let id: CaptureID
    let shortID: String
    let type: CaptureType
    let captureMode: CaptureMode
    let status: CaptureStatus
    let failure: StableWord<FailureReason>?
    let confidenceLevel: ConfidenceLevel?
    let capturedAt: SharedTime
    /// What a hash-only capture shares; `null` for others.
    let metadataFlags: MetadataFlags?
    let uploadedAt: SharedTime
    let locationCoarse: String?
    /// Whether the hardware signature covers time, place and model; `nil` while processing.
    let metadataSigned: Bool?
    let mediaStored: Bool
    let mediaHash: ContentDigest
    let mediaURL: String?
    let c2paMediaURL: String?
    let c2paManifestURL: String?
    let depthVisualizationURL: String?
    let thumbnailURL: String?
    let verificationURL: String
    /// The links of a video; `nil`, and absent from the response, for a photo.
    let video: VideoLinks?
    let evidence: EvidencePackage?
    /// Where the last statement stands; `nil` unless the capture is complete.
    let log: LogStatus?
    /// The device's own detection report; not verified.
    let detection: DetectionReport?
    /// For the owning device only.
    let location: PreciseLocation?

    /// - Parameter isOwner: whether the request is signed by the device that sent the capture.
    init(_ row: CaptureRow, isOwner: Bool, log: LogStatus?, links: MediaLinks, publicURL: String, at now: Date) {
        id = row.id
        shortID = row.shortID
        type = row.kind.type
        captureMode = row.kind.mode
        status = row.status
        failure = row.failure
        confidenceLevel = row.confidence
        capturedAt = row.capturedAt
        metadataFlags = row.flags
        uploadedAt = isOwner ? .exact(row.uploadedAt) : row.publicUploadedAt
        locationCoarse = row.evidence?.metadata.locationCoarse
        metadataSigned = row.evidence?.coversMetadata
        mediaStored = row.kind.mode.storesMedia
        mediaHash = row.mediaHash
        let link: (MediaName) -> String? = { name in
            row.mediaNames.contains(name) ? publicURL + links.path(row.id, name, at: now) : nil
        }
        c2paMediaURL = link(.signedCopy) ?? link(.signedVideo)
        mediaURL = c2paMediaURL ?? link(.publicCopy) ?? link(.publicVideo)
        c2paManifestURL = link(.manifest)
        depthVisualizationURL = link(.depthPreview)
        thumbnailURL = link(.thumbnail)
        verificationURL = publicURL + PagePath.capture(row.id)
        video =
            switch row.kind.type {
            case .photo: nil
            case .video: VideoLinks(row.evidence, depthFramesSize: row.depthFramesSize, link: link)
            }
        evidence = isOwner ? row.evidence : row.publicEvidence
        self.log = log
        detection = isOwner ? row.detection : row.detection?.publicForm()
        location = isOwner ? row.location : nil
    }

    enum CodingKeys: String, CodingKey {
        case id
        case shortID = "short_id"
        case type
        case captureMode = "capture_mode"
        case status, failure
        case confidenceLevel = "confidence_level"
        case capturedAt = "captured_at"
        case capturedPrecision = "captured_precision"
        case metadataFlags = "metadata_flags"
        case uploadedAt = "uploaded_at"
        case locationCoarse = "location_coarse"
        case metadataSigned = "metadata_signed"
        case mediaStored = "media_stored"
        case mediaHash = "media_hash"
        case mediaURL = "media_url"
        case c2paMediaURL = "c2pa_media_url"
        case c2paManifestURL = "c2pa_manifest_url"
        case depthVisualizationURL = "depth_visualization_url"
        case thumbnailURL = "thumbnail_url"
        case verificationURL = "verification_url"
        case evidence, log, detection, location
    }

    /// Encodes absent values as `null`, except `failure`, `detection` and the owner's `location`, which are omitted.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(shortID, forKey: .shortID)
        try container.encode(type, forKey: .type)
        try container.encode(captureMode, forKey: .captureMode)
        try container.encode(status, forKey: .status)
        try container.encodeIfPresent(failure, forKey: .failure)
        try container.encode(confidenceLevel, forKey: .confidenceLevel)
        try container.encode(capturedAt, forKey: .capturedAt)
        try container.encode(capturedAt.precision, forKey: .capturedPrecision)
        try container.encode(metadataFlags, forKey: .metadataFlags)
        try container.encode(uploadedAt, forKey: .uploadedAt)
        try container.encode(locationCoarse, forKey: .locationCoarse)
        try container.encode(metadataSigned, forKey: .metadataSigned)
        try container.encode(mediaStored, forKey: .mediaStored)
        try container.encode(mediaHash, forKey: .mediaHash)
        try container.encode(mediaURL, forKey: .mediaURL)
        try container.encode(c2paMediaURL, forKey: .c2paMediaURL)
        try container.encode(c2paManifestURL, forKey: .c2paManifestURL)
        try container.encode(depthVisualizationURL, forKey: .depthVisualizationURL)
        try container.encode(thumbnailURL, forKey: .thumbnailURL)
        try container.encode(verificationURL, forKey: .verificationURL)
        try video?.encode(to: encoder)
        try container.encode(evidence, forKey: .evidence)
        try container.encode(log, forKey: .log)
        try container.encodeIfPresent(detection, forKey: .detection)
        try container.encodeIfPresent(location, forKey: .location)
    }
}

/// What the capture view has of a video only (SPEC §10.6).
struct VideoLinks: Encodable {
    /// How the depth keyframes lie in `depth-frames.jpg`.
    struct DepthFrames: Encodable {
        let columns = DepthTiles.perRow
        let tileWidth: Int
        let tileHeight: Int
        let times: [Int]

        enum CodingKeys: String, CodingKey {
            case columns
            case tileWidth = "tile_width"
            case tileHeight = "tile_height"
            case times = "times_ms"
        }
    }

    let durationMilliseconds: Int64?
    let posterURL: String?
    /// `nil` where browsers play the video itself.
    let playbackURL: String?
    let depthFramesURL: String?
    let depthFrames: DepthFrames?

    /// - Parameter depthFramesSize: pixels of `depth-frames.jpg`, whose tiles lie as the depth maps do, not as the video does.
    init(_ evidence: EvidencePackage?, depthFramesSize: PixelSize?, link: (MediaName) -> String?) {
        durationMilliseconds = evidence?.video?.durationMilliseconds
        posterURL = link(.poster)
        playbackURL = link(.playback)
        depthFramesURL = link(.depthFrames)
        guard depthFramesURL != nil, let temporal = evidence?.depthAnalysis.temporal, let depthFramesSize,
            let tile = DepthTiles.grid(of: temporal.frameAnalyses.count, in: depthFramesSize)?.tile
        else {
            depthFrames = nil
            return
        }
        depthFrames = DepthFrames(
            tileWidth: tile.width, tileHeight: tile.height, times: temporal.frameAnalyses.map(\.timeMilliseconds))
    }

    enum CodingKeys: String, CodingKey {
        case durationMilliseconds = "duration_ms"
        case posterURL = "poster_url"
        case playbackURL = "playback_url"
        case depthFramesURL = "depth_frames_url"
        case depthFrames = "depth_frames"
    }

    /// Absent values are `null`.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(durationMilliseconds, forKey: .durationMilliseconds)
        try container.encode(posterURL, forKey: .posterURL)
        try container.encode(playbackURL, forKey: .playbackURL)
        try container.encode(depthFramesURL, forKey: .depthFramesURL)
        try container.encode(depthFrames, forKey: .depthFrames)
    }
}
