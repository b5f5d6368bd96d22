package import CaptureProtocol
package import Foundation
package import Models

/// What the site may know of one capture: nothing of the device's identity, no precise place.
package struct PublicRecord: Sendable {
    package let id: CaptureID
    package let kind: CaptureKind
    package let status: CaptureStatus
    let failure: StableWord<FailureReason>?
    let confidence: ConfidenceLevel?
    package let mediaHash: ContentDigest
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
    let issuer: String?
    /// What the services have answered so far.
    let finished: Set<EvidencePart>
    /// Published objects by name.
    package let media: [MediaName: PublishedMedia]
    /// Devices with a complete capture of exactly this file.
    package let claimingDevices: Int

    package init(
        id: CaptureID, kind: CaptureKind, status: CaptureStatus, failure: StableWord<FailureReason>?, confidence: ConfidenceLevel?,
        mediaHash: ContentDigest, capturedAt: CapturedTime?, receivedAt: Date, evidence: EvidencePackage?, hasPlace: Bool, model: String?,
        isDevelopment: Bool, signedAt: Date?, issuer: String?, finished: Set<EvidencePart>, media: [MediaName: PublishedMedia],
        claimingDevices: Int = 1
    ) {
        self.id = id
        self.kind = kind
        self.status = status
        self.failure = failure
        self.confidence = confidence
        self.mediaHash = mediaHash
        self.capturedAt = capturedAt
        self.receivedAt = receivedAt
        self.evidence = evidence
        self.hasPlace = hasPlace
        self.model = model
        self.isDevelopment = isDevelopment
        self.signedAt = signedAt
        self.issuer = issuer
        self.finished = finished
        self.media = media
        self.claimingDevices = claimingDevices
    }
}
