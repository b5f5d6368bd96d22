import CaptureProtocol
import Crypto
import Foundation
import Models

/// A capture as it is inserted: its announcement, and the columns that are looked up or shown.
struct NewCapture: Sendable {
    let announcement: CaptureAnnouncement
    let mediaHash: ContentDigest
    let depthHash: ContentDigest?
    let capturedAt: SharedTime
    /// `nil` for a capture with media.
    let flags: MetadataFlags?
    let location: PreciseLocation?
    let detection: DetectionReport?

    var assertionDigest: [UInt8]? { announcement.assertion.map { Array(SHA256.hash(data: $0)) } }

    init(_ id: CaptureID, _ submission: CaptureSubmission, device: DeviceID, receivedAt: Date) {
        announcement = CaptureAnnouncement(
            captureID: id, deviceID: device, content: .photo(submission.content), metadata: submission.metadataBytes,
            assertion: submission.assertion, receivedAt: receivedAt)
        mediaHash = submission.content.photo.sha256
        depthHash = submission.content.depth.sha256
        capturedAt = .exact(submission.metadata.capturedAt)
        flags = nil
        location = submission.metadata.location
        detection = submission.detection
    }

    init(_ id: CaptureID, _ submission: HashOnlySubmission, device: DeviceID, receivedAt: Date) {
        announcement = CaptureAnnouncement(
            captureID: id, deviceID: device, content: .hashOnly(submission.payload), metadata: submission.payloadBytes,
            assertion: submission.assertion, receivedAt: receivedAt)
        mediaHash = submission.payload.mediaHash
        depthHash = nil
        capturedAt = submission.payload.capturedAt
        flags = submission.payload.flags
        location = submission.payload.location
        detection = nil
    }
}
