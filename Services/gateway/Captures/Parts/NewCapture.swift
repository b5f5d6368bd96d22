import CaptureProtocol
import Foundation
import Models

/// A capture as it is inserted: its announcement, and the columns that are looked up or shown.
struct NewCapture: Sendable {
    let announcement: CaptureAnnouncement
    let mediaHash: ContentDigest
    let depthHash: ContentDigest?
    /// Tells captures of the same media apart: SHA-256 of the assertion, or of what stands for it; `nil` without one.
    let assertionHash: ContentDigest?
    let capturedAt: SharedTime
    /// `nil` for a capture with media.
    let flags: MetadataFlags?
    let location: PreciseLocation?
    let detection: DetectionReport?
}

/// A body whose parts are valid, ready to be recorded.
protocol CaptureSubmitting: Sendable {
    func capture(_ id: CaptureID, device: DeviceID, receivedAt: Date) -> NewCapture
}

/// A body whose media are stored already.
protocol MediaSubmitting: CaptureSubmitting {
    /// The small parts that are kept unchanged beside the media.
    var kept: [(name: MediaName, bytes: [UInt8])] { get }
}
