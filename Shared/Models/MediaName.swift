public import CaptureProtocol

/// The objects of a capture, by their names in rows, links and keys. A name implies the content and the service that creates it (SPEC §5).
public enum MediaName: String, Codable, CodingKeyRepresentable, Sendable, CaseIterable {
    /// As uploaded by the device.
    case original = "original.jpg"
    /// A video as uploaded, whatever its brand (SPEC §10.7).
    case originalVideo = "original.mp4"
    case hashChain = "hash-chain.json"
    case depth = "depth.gz"
    case metadata = "metadata.json"
    /// The photo without location and maker notes; not re-encoded.
    case publicCopy = "public.jpg"
    /// The same samples in a new file with nothing else.
    case publicVideo = "public.mp4"
    /// A smaller copy in H.264 of a video that browsers may not play; not the signed one.
    case playback = "playback.mp4"
    /// The first frame shown, upright.
    case poster = "poster.jpg"
    /// All depth keyframes of a video, side by side.
    case depthFrames = "depth-frames.jpg"
    /// Upright pictures derived from the photo, by the length of their longer side in pixels.
    case thumbnail = "thumbnail.jpg"
    case smallPicture = "photo-828.jpg"
    case largePicture = "photo-1656.jpg"
    case depthPreview = "depth-preview.png"
    /// The public copy with Content Credentials, and their manifest store as a separate object.
    case signedCopy = "c2pa.jpg"
    case signedVideo = "c2pa.mp4"
    case manifest = "manifest.c2pa"
    /// The preview picture for shared links.
    case shareCard = "og.jpg"

    /// The object key (SPEC §5).
    /// - Parameter digest: of a derived object, so that concurrent workers cannot overwrite each other's; `nil` for an uploaded one.
    public func key(of capture: CaptureID, digest: ContentDigest? = nil) -> String {
        let stem = rawValue.prefix { $0 != "." }
        return ObjectPrefix.capture(capture) + (digest.map { "\(stem)-\($0.hex)\(rawValue.dropFirst(stem.count))" } ?? rawValue)
    }

    /// The media type sent to browsers; the types in rows and in the store are not trusted (SPEC §5).
    public var contentType: String {
        switch self {
        case .original, .publicCopy, .thumbnail, .smallPicture, .largePicture, .signedCopy, .shareCard, .poster, .depthFrames: "image/jpeg"
        // Browsers refuse video/quicktime, and play the same bytes as video/mp4.
        case .originalVideo, .publicVideo, .playback, .signedVideo: "video/mp4"
        case .depthPreview: "image/png"
        case .depth: "application/octet-stream"
        case .metadata, .hashChain: "application/json"
        case .manifest: "application/c2pa"
        }
    }

    /// The role reported for a file with these bytes (SPEC §7).
    /// - Returns: `nil` for objects that are not published by link.
    public var role: MediaRole? {
        switch self {
        case .original, .originalVideo, .depth, .metadata, .hashChain: nil
        case .publicCopy, .publicVideo: .publicCopy
        case .thumbnail, .smallPicture, .largePicture: .thumbnail
        case .poster: .poster
        case .playback: .playback
        case .depthPreview: .depthPreview
        case .depthFrames: .depthFrames
        case .signedCopy, .signedVideo: .signedCopy
        case .manifest: .manifest
        case .shareCard: .shareCard
        }
    }

    /// Whether its size in pixels is stored. The original is not published, and all cards have the same size.
    public var isPicture: Bool {
        switch self {
        case .publicCopy, .thumbnail, .smallPicture, .largePicture, .depthPreview, .signedCopy, .poster, .depthFrames: true
        case .original, .originalVideo, .depth, .metadata, .hashChain, .manifest, .shareCard: false
        // The evidence has it.
        case .publicVideo, .playback, .signedVideo: false
        }
    }

    /// Whether its link needs no signature.
    public var isOpen: Bool { self == .thumbnail || self == .shareCard }

    /// The objects that are published by link.
    public static let published: [MediaName] = allCases.filter { $0.role != nil }
    /// The upright pictures for pages, smallest first; public copies are as large as the original.
    public static let pagePictures: [MediaName] = [.smallPicture, .largePicture]
    public static let publicCopies: [MediaName] = [.signedCopy, .publicCopy]
    public static let publicVideos: [MediaName] = [.signedVideo, .publicVideo]
}

/// Which object of a capture a file is.
public enum MediaRole: String, Codable, Sendable, CaseIterable {
    /// The uploaded file.
    case original
    case publicCopy = "public_copy"
    case thumbnail
    case poster
    case playback = "playback_copy"
    case depthPreview = "depth_preview"
    case depthFrames = "depth_frames"
    case signedCopy = "c2pa_copy"
    case manifest
    case shareCard = "share_picture"
}
