public import CaptureProtocol

/// The objects of a capture, by their names in rows, links and keys. A name implies the content and the service that creates it (SPEC §5).
public enum MediaName: String, Codable, CodingKeyRepresentable, Sendable, CaseIterable {
    /// As uploaded by the device.
    case original = "original.jpg"
    case depth = "depth.gz"
    case metadata = "metadata.json"
    /// The photo without location and maker notes; not re-encoded.
    case publicCopy = "public.jpg"
    /// Upright pictures derived from the photo, by the length of their longer side in pixels.
    case thumbnail = "thumbnail.jpg"
    case smallPicture = "photo-828.jpg"
    case largePicture = "photo-1656.jpg"
    case depthPreview = "depth-preview.png"
    /// The public copy with Content Credentials, and their manifest store as a separate object.
    case signedCopy = "c2pa.jpg"
    case manifest = "manifest.c2pa"
    /// The preview picture for shared links.
    case shareCard = "og.jpg"

    /// The object key (SPEC §5).
    /// - Parameter digest: of a derived object, so that concurrent workers cannot overwrite each other's; `nil` for an uploaded one.
    public func key(of capture: CaptureID, digest: ContentDigest? = nil) -> String {
        let stem = rawValue.prefix { $0 != "." }
        return "captures/\(capture)/" + (digest.map { "\(stem)-\($0.hex)\(rawValue.dropFirst(stem.count))" } ?? rawValue)
    }

    /// The media type sent to browsers; the types in rows and in the store are not trusted (SPEC §5).
    public var contentType: String {
        switch self {
        case .original, .publicCopy, .thumbnail, .smallPicture, .largePicture, .signedCopy, .shareCard: "image/jpeg"
        case .depthPreview: "image/png"
        case .depth: "application/octet-stream"
        case .metadata: "application/json"
        case .manifest: "application/c2pa"
        }
    }

    /// The role reported for a file with these bytes (SPEC §7).
    /// - Returns: `nil` for objects that are not published by link.
    public var role: MediaRole? {
        switch self {
        case .original, .depth, .metadata: nil
        case .publicCopy: .publicCopy
        case .thumbnail, .smallPicture, .largePicture: .thumbnail
        case .depthPreview: .depthPreview
        case .signedCopy: .signedCopy
        case .manifest: .manifest
        case .shareCard: .shareCard
        }
    }

    /// Whether its size in pixels is stored. The original is not published, and all cards have the same size.
    public var isPicture: Bool {
        switch self {
        case .publicCopy, .thumbnail, .smallPicture, .largePicture, .depthPreview, .signedCopy: true
        case .original, .depth, .metadata, .manifest, .shareCard: false
        }
    }

    /// Whether its link needs no signature.
    public var isOpen: Bool { self == .thumbnail || self == .shareCard }

    /// The objects that are published by link.
    public static let published: [MediaName] = allCases.filter { $0.role != nil }
    /// The upright pictures for pages, smallest first; public copies are as large as the original.
    public static let pagePictures: [MediaName] = [.smallPicture, .largePicture]
    public static let publicCopies: [MediaName] = [.signedCopy, .publicCopy]
}

/// Which object of a capture a file is.
public enum MediaRole: String, Codable, Sendable, CaseIterable {
    /// The uploaded file.
    case original
    case publicCopy = "public_copy"
    case thumbnail
    case depthPreview = "depth_preview"
    case signedCopy = "c2pa_copy"
    case manifest
    case shareCard = "share_picture"
}
