public import CaptureProtocol

/// The objects of a capture, by the names that rows, links and keys give them. A name says what is in it and who makes it (SPEC §5).
public enum MediaName: String, Codable, CodingKeyRepresentable, Sendable, CaseIterable {
    /// As the device sent them.
    case original = "original.jpg"
    case depth = "depth.gz"
    case metadata = "metadata.json"
    /// The photo without place and maker notes, not decoded.
    case publicCopy = "public.jpg"
    /// Pictures made from the photo, upright, by the length of their longer side in pixels.
    case thumbnail = "thumbnail.jpg"
    case smallPicture = "photo-828.jpg"
    case largePicture = "photo-1656.jpg"
    case depthPreview = "depth-preview.png"
    /// The public copy with Content Credentials, and their manifest store by itself.
    case signedCopy = "c2pa.jpg"
    case manifest = "manifest.c2pa"
    /// What stands for the capture where its link is shared.
    case shareCard = "og.jpg"

    /// Where the object with this name lies (SPEC §5).
    /// - Parameter digest: of what was made of a capture: two workers cannot overwrite each other then. `nil` for what the device sent.
    public func key(of capture: CaptureID, digest: ContentDigest? = nil) -> String {
        let stem = rawValue.prefix { $0 != "." }
        return "captures/\(capture)/" + (digest.map { "\(stem)-\($0.hex)\(rawValue.dropFirst(stem.count))" } ?? rawValue)
    }

    /// What it is to a browser: what a row or the store says is not believed (SPEC §5).
    public var contentType: String {
        switch self {
        case .original, .publicCopy, .thumbnail, .smallPicture, .largePicture, .signedCopy, .shareCard: "image/jpeg"
        case .depthPreview: "image/png"
        case .depth: "application/octet-stream"
        case .metadata: "application/json"
        case .manifest: "application/c2pa"
        }
    }

    /// What a file with these bytes is said to be (SPEC §7).
    /// - Returns: `nil` for what nobody is given by link.
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

    /// Whether a row says how large it is. Nobody sees the original, and cards all have one size.
    public var isPicture: Bool {
        switch self {
        case .publicCopy, .thumbnail, .smallPicture, .largePicture, .depthPreview, .signedCopy: true
        case .original, .depth, .metadata, .manifest, .shareCard: false
        }
    }

    /// Whether a link to it needs no signature.
    public var isOpen: Bool { self == .thumbnail || self == .shareCard }

    /// What may be asked for by link.
    public static let published: [MediaName] = allCases.filter { $0.role != nil }
    /// Upright pictures made for a page, smallest first; public copies are as large as the original.
    public static let pagePictures: [MediaName] = [.smallPicture, .largePicture]
    public static let publicCopies: [MediaName] = [.signedCopy, .publicCopy]
}

/// What of a capture a file turned out to be.
public enum MediaRole: String, Codable, Sendable, CaseIterable {
    /// What the device sent.
    case original
    case publicCopy = "public_copy"
    case thumbnail
    case depthPreview = "depth_preview"
    case signedCopy = "c2pa_copy"
    case manifest
    case shareCard = "share_picture"
}
