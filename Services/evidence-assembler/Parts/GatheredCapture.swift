import CaptureProtocol
import Foundation
import Models

/// A capture with all its parts, which fit what was announced.
struct GatheredCapture: Sendable {
    let announcement: CaptureAnnouncement
    /// SHA-256 of the original.
    let mediaHash: ContentDigest
    let parts: EvidenceParts
    /// When it was captured, as its row says.
    private let capturedAt: SharedTime
    /// Whether operators revoked it with its device: then it is not signed.
    let isRevoked: Bool

    /// - Parameters:
    ///   - mediaHash: what the capture's row says, by which files are looked up.
    ///   - capturedAt: what the capture's row says, which is shown.
    /// - Throws: ``RejectedMessage`` if a part names objects that were not announced, or if the digest is not the announced original's.
    init(
        announcement: CaptureAnnouncement, mediaHash: ContentDigest, capturedAt: SharedTime, parts: EvidenceParts, isRevoked: Bool
    ) throws {
        try announcement.mustHave(mediaHash: mediaHash)
        try parts.mustFit(announcement)
        self.announcement = announcement
        self.mediaHash = mediaHash
        self.capturedAt = capturedAt
        self.parts = parts
        self.isRevoked = isRevoked
    }

    /// - Parameter announced: when its device says that it was.
    /// - Throws: ``RejectedMessage`` if the row says another time.
    func mustBeCaptured(at announced: SharedTime) throws {
        guard capturedAt.isStored(announced) else {
            throw RejectedMessage(.captureUnreadable, detail: "captured_at is not the announced one")
        }
    }
}

extension CaptureAnnouncement {
    /// - Parameter mediaHash: what the capture's row says.
    /// - Throws: ``RejectedMessage`` if it is not the announced original's.
    func mustHave(mediaHash: ContentDigest) throws {
        guard mediaHash == content.mediaHash else {
            throw RejectedMessage(.digestMismatch, detail: "media_sha256 is not the announced one")
        }
    }
}

extension SharedTime {
    /// Whether a column with this time may have been written with the other: it has whole microseconds, and a device may send more digits.
    fileprivate func isStored(_ written: SharedTime) -> Bool {
        switch (self, written) {
        case (.notShared, .notShared): true
        case (.day(let stored), .day(let date)), (.exact(let stored), .exact(let date)): abs(stored.timeIntervalSince(date)) < 0.001
        case (.notShared, _), (.day, _), (.exact, _): false
        }
    }
}
