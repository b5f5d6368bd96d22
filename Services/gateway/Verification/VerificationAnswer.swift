import CaptureProtocol
import Foundation
import Models

/// The body of `verify-file` and `verify-hash` (SPEC §7).
enum VerificationAnswer: Encodable, Sendable {
    case verified(Verified)
    case credentialsOnly(CredentialsOnly)
    case noRecord(digest: ContentDigest)

    /// A record of this exact file exists. What it is worth is its confidence's to say.
    struct Verified: Encodable {
        let status = "verified"
        let matched: MediaRole
        let captureID: CaptureID
        let confidenceLevel: ConfidenceLevel?
        let verificationURL: String
        let fileHash: ContentDigest
        let captureMode: CaptureMode
        let mediaStored: Bool
        let evidence: EvidencePackage?
        let otherClaims: [OtherClaim]

        enum CodingKeys: String, CodingKey {
            case status, matched
            case captureID = "capture_id"
            case confidenceLevel = "confidence_level"
            case verificationURL = "verification_url"
            case fileHash = "file_hash"
            case captureMode = "capture_mode"
            case mediaStored = "media_stored"
            case evidence
            case otherClaims = "other_claims"
        }
    }

    /// Another capture of the same file.
    struct OtherClaim: Encodable {
        let captureID: CaptureID
        let matched: MediaRole
        let confidenceLevel: ConfidenceLevel?
        /// Its device is not vouched for by Apple, but by a development root.
        let developmentAttestation: Bool
        let captureMode: CaptureMode
        let uploadedAt: Date
        let verificationURL: String

        enum CodingKeys: String, CodingKey {
            case captureID = "capture_id"
            case matched
            case confidenceLevel = "confidence_level"
            case developmentAttestation = "development_attestation"
            case captureMode = "capture_mode"
            case uploadedAt = "uploaded_at"
            case verificationURL = "verification_url"
        }
    }

    /// No record of ours, but Content Credentials of some sort.
    struct CredentialsOnly: Encodable {
        let status = "c2pa_only"
        let fileHash: ContentDigest
        let manifestInfo: ManifestInfo
        let note: String

        enum CodingKeys: String, CodingKey {
            case status
            case fileHash = "file_hash"
            case manifestInfo = "manifest_info"
            case note
        }
    }

    private struct NoRecord: Encodable {
        let status = "no_record"
        let fileHash: ContentDigest

        enum CodingKeys: String, CodingKey {
            case status
            case fileHash = "file_hash"
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .verified(let body): try body.encode(to: encoder)
        case .credentialsOnly(let body): try body.encode(to: encoder)
        case .noRecord(let digest): try NoRecord(fileHash: digest).encode(to: encoder)
        }
    }

    /// `nil` without claims.
    init?(_ claims: [Claim], digest: ContentDigest, publicURL: String) {
        guard let first = claims.first else { return nil }
        self = .verified(
            Verified(
                matched: first.matched, captureID: first.row.id, confidenceLevel: first.row.confidence,
                verificationURL: "\(publicURL)/verify/\(first.row.id)", fileHash: digest, captureMode: first.row.kind.mode,
                mediaStored: first.row.kind.mode == .full, evidence: first.row.evidence?.publicForm(),
                otherClaims: claims.dropFirst().map { claim in
                    OtherClaim(
                        captureID: claim.row.id, matched: claim.matched, confidenceLevel: claim.row.confidence,
                        developmentAttestation: claim.row.evidence?.hardwareAttestation.developmentAttestation ?? false,
                        captureMode: claim.row.kind.mode, uploadedAt: claim.row.uploadedAt,
                        verificationURL: "\(publicURL)/verify/\(claim.row.id)")
                }))
    }

    var status: String {
        switch self {
        case .verified: "verified"
        case .credentialsOnly: "c2pa_only"
        case .noRecord: "no_record"
        }
    }

    var captureID: CaptureID? {
        if case .verified(let body) = self { return body.captureID }
        return nil
    }
}
