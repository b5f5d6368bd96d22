import CaptureProtocol
import Foundation
import Models

/// What the site may know of one capture: nothing of the device's identity, no precise place.
struct CaptureFacts: Sendable {
    let id: CaptureID
    let shortID: String
    let kind: CaptureKind
    let status: CaptureStatus
    let failure: StableWord<FailureReason>?
    let confidence: ConfidenceLevel?
    let mediaHash: ContentDigest
    let capturedAt: CapturedTime?
    let receivedAt: Date
    /// The public form.
    let evidence: EvidencePackage?
    /// Whether a place came with it; which one, only the evidence says.
    let hasPlace: Bool
    /// As the device reported it.
    let model: String?
    /// The device's attestation ends at a root that only this installation trusts.
    let isDevelopment: Bool
    /// When the Content Credentials were signed.
    let signedAt: Date?
    /// Who signed them, as the certificate says.
    var issuer: String?
    /// What the services have answered so far.
    let finished: Set<EvidencePart>
    /// Published objects by name.
    let media: [MediaName: PublishedMedia]
    /// Devices with a complete capture of exactly this file.
    var claimingDevices = 1
}

/// When a capture was made, as exactly as it was shared.
enum CapturedTime: Sendable, Equatable {
    case exact(Date)
    case day(Date)

    var date: Date {
        switch self {
        case .exact(let date), .day(let date): date
        }
    }

    /// A hash-only capture that shares its day alone says so with midnight, UTC.
    init(_ date: Date, kind: CaptureKind) {
        let isMidnight = date.timeIntervalSince1970.truncatingRemainder(dividingBy: 86_400) == 0
        self = kind == .hashOnly && isMidnight ? .day(date) : .exact(date)
    }
}

/// An object that anyone with its link may read.
struct PublishedMedia: Sendable {
    let sha256: ContentDigest
    let sizeBytes: Int64
    /// Path and query.
    let link: String
    /// Upright; `nil` for what is no picture, or none that could be measured.
    let size: PixelSize?
}
