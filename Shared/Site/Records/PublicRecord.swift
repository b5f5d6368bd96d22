package import CaptureProtocol
package import Foundation
package import Models

/// The data of one capture that the site may show: no device identity, no precise location.
package struct PublicRecord: Sendable {
    package let id: CaptureID
    package let kind: CaptureKind
    package let status: CaptureStatus
    let failure: StableWord<FailureReason>?
    let confidence: ConfidenceLevel?
    package let mediaHash: ContentDigest
    let capturedAt: SharedTime
    let receivedAt: SharedTime
    /// The public form.
    package let evidence: EvidencePackage?
    /// Whether the capture has a location; its public form is in the evidence only.
    let hasPlace: Bool
    /// As the device reported it; `nil` where it is kept back.
    let model: String?
    /// Whether the chain of the device's attestation ends at a root that only this installation trusts.
    let isDevelopment: Bool
    /// When the Content Credentials were signed.
    let signedAt: Date?
    /// The signer's name in the certificate.
    let issuer: String?
    /// The parts whose services have finished.
    let finished: Set<EvidencePart>
    /// Published objects by name.
    package let media: [MediaName: PublishedMedia]
    /// The number of devices with a complete capture of this exact file.
    package let claimingDevices: Int
    /// Where it stands in the public log; `nil` unless it is complete.
    package var log: RecordLog?

    /// Whether its verdict was taken back.
    package var isRevoked: Bool { log?.isRevoked == true }

    var type: CaptureType { kind.type }

    /// The photo or video with Content Credentials.
    var signedCopy: PublishedMedia? { media[.signedCopy] ?? media[.signedVideo] }

    package init(
        id: CaptureID, kind: CaptureKind, status: CaptureStatus, failure: StableWord<FailureReason>?, confidence: ConfidenceLevel?,
        mediaHash: ContentDigest, capturedAt: SharedTime, receivedAt: SharedTime, evidence: EvidencePackage?, hasPlace: Bool,
        model: String?,
        isDevelopment: Bool, signedAt: Date?, issuer: String?, finished: Set<EvidencePart>, media: [MediaName: PublishedMedia],
        claimingDevices: Int = 1, log: RecordLog? = nil
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
        self.log = log
    }
}
