import CaptureProtocol
import Models

/// A capture with all its parts, which fit what was announced.
struct GatheredCapture: Sendable {
    let announcement: CaptureAnnouncement
    /// SHA-256 of the original.
    let mediaHash: ContentDigest
    let parts: EvidenceParts
    /// Whether operators revoked it with its device: then it is not signed.
    let isRevoked: Bool

    /// - Parameter mediaHash: what the capture's row says, by which files are looked up.
    /// - Throws: ``RejectedMessage`` if a part names objects that were not announced, or if the digest is not the announced original's.
    init(announcement: CaptureAnnouncement, mediaHash: ContentDigest, parts: EvidenceParts, isRevoked: Bool) throws {
        guard mediaHash == announcement.content.mediaHash else {
            throw RejectedMessage(.digestMismatch, detail: "media_sha256 is not the announced one")
        }
        try parts.mustFit(announcement)
        self.announcement = announcement
        self.mediaHash = mediaHash
        self.parts = parts
        self.isRevoked = isRevoked
    }
}
