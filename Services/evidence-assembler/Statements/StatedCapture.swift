import CaptureProtocol
import Foundation
import Models
import TransparencyLog

/// What is known of a complete capture when a statement with a verdict is made about it.
struct StatedCapture: Sendable {
    let id: CaptureID
    let kind: CaptureKind
    /// The digest of the original.
    let mediaHash: ContentDigest
    let capturedAt: SharedTime
    let receivedAt: Date
    /// What the person who captured it shares.
    let flags: MetadataFlags
    let package: EvidencePackage
    let confidence: ConfidenceLevel
    /// The published objects.
    let files: [MediaName: ContentDigest]
    /// The identifier of the manifest of our Content Credentials, if there are any.
    let manifestID: String?
    /// The digests of what the device sent, and of its attestation.
    let raw: [RawParts.Name: ContentDigest]

    /// - Parameters:
    ///   - attestation: the digest of the device's attestation; `nil` where an earlier version did not store it.
    ///   - objects: the digests of all of its objects.
    init(
        _ announcement: CaptureAnnouncement, mediaHash: ContentDigest, attestation: ContentDigest?, capturedAt: SharedTime,
        package: EvidencePackage, confidence: ConfidenceLevel, objects: [MediaName: ContentDigest], manifestID: String?
    ) {
        id = announcement.captureID
        kind = announcement.content.kind
        self.mediaHash = mediaHash
        self.capturedAt = capturedAt
        receivedAt = announcement.receivedAt
        flags = announcement.flags
        self.package = package
        self.confidence = confidence
        files = objects.filter { $0.key.role != nil }
        self.manifestID = manifestID
        raw = announcement.rawParts.merging(attestation.map { [.attestation: $0] } ?? [:]) { $1 }
    }

    /// Whether the log must not tell when it was made, but by the day (SPEC §14 "Withheld times").
    var isTimeHeld: Bool { flags.timestamp != .exact }

    /// The bytes of the evidence that a statement commits to.
    func evidence() throws -> [UInt8] { try WireJSON.encode(package.statedForm(sharing: flags)) }

    func verdict(evidence: ContentDigest, raw: ContentDigest) -> Verdict {
        Verdict(
            kind: kind, media: mediaHash, files: Dictionary(uniqueKeysWithValues: files.map { ($0.key.rawValue, $0.value) }),
            manifest: manifestID, capturedAt: capturedAt.limited(to: flags.timestamp),
            receivedAt: SharedTime(receivedAt, flags.receipt), confidence: Verdict.Confidence(confidence),
            algorithms: package.algorithmVersions, evidence: evidence, raw: raw)
    }
}

extension CaptureAnnouncement {
    /// What the person who captured it shares: everything, except in privacy mode.
    fileprivate var flags: MetadataFlags {
        switch content {
        case .photo, .video: .everything
        case .hashOnly(let payload): payload.flags
        }
    }

    /// The digests of what the device sent.
    fileprivate var rawParts: [RawParts.Name: ContentDigest] {
        let metadata = ContentDigest(of: metadata)
        var parts: [RawParts.Name: ContentDigest] =
            switch content {
            case .photo(let photo): [.photo: photo.photo.sha256, .depth: photo.depth.sha256, .metadata: metadata]
            case .video(let video):
                [.video: video.video.sha256, .depth: video.depth.sha256, .hashChain: video.hashChain.sha256, .metadata: metadata]
            case .hashOnly: [.payload: metadata]
            }
        parts[.assertion] = assertion.map { ContentDigest(of: $0) }
        return parts
    }
}

extension Verdict.Confidence {
    fileprivate init(_ level: ConfidenceLevel) {
        switch level {
        case .high: self = .high
        case .medium: self = .medium
        case .low: self = .low
        case .suspicious: self = .suspicious
        }
    }
}
