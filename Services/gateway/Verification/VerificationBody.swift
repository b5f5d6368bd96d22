import CaptureProtocol
import Foundation
import Models

/// The response body of `verify-file` and `verify-hash` (SPEC §7).
enum VerificationBody: Encodable, Sendable {
    case verified(Verified)
    case credentialsOnly(CredentialsOnly)
    case noRecord(digest: ContentDigest)

    /// A record of this exact file exists. Its confidence level says how strong the evidence is.
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
        /// Where the last statement about the capture stands.
        let log: LogStatus?
        let otherClaims: [OtherClaim]

        enum CodingKeys: String, CodingKey {
            case status, matched
            case captureID = "capture_id"
            case confidenceLevel = "confidence_level"
            case verificationURL = "verification_url"
            case fileHash = "file_hash"
            case captureMode = "capture_mode"
            case mediaStored = "media_stored"
            case evidence, log
            case otherClaims = "other_claims"
        }
    }

    /// Another capture of the same file.
    struct OtherClaim: Encodable {
        let captureID: CaptureID
        let matched: MediaRole
        let confidenceLevel: ConfidenceLevel?
        /// Whether the device was attested by a development root and not by Apple's.
        let developmentAttestation: Bool
        /// Whether its verdict counts.
        let standing: LogStatus.Standing
        let captureMode: CaptureMode
        let uploadedAt: SharedTime
        let verificationURL: String

        enum CodingKeys: String, CodingKey {
            case captureID = "capture_id"
            case matched
            case confidenceLevel = "confidence_level"
            case developmentAttestation = "development_attestation"
            case standing
            case captureMode = "capture_mode"
            case uploadedAt = "uploaded_at"
            case verificationURL = "verification_url"
        }
    }

    /// No record has the file, but it contains Content Credentials.
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

    /// - Parameter log: where the first claim's capture stands in the log.
    init(_ verification: FileVerification, log: LogStatus?, publicURL: String) {
        let digest = verification.digest
        switch verification.verdict {
        case .claimed(let claim, let others):
            self = .verified(
                Verified(
                    matched: claim.matched, captureID: claim.row.id, confidenceLevel: claim.row.confidence,
                    verificationURL: publicURL + PagePath.capture(claim.row.id), fileHash: digest, captureMode: claim.row.kind.mode,
                    mediaStored: claim.row.kind.mode.storesMedia, evidence: claim.row.publicEvidence,
                    log: log,
                    otherClaims: others.map { OtherClaim($0, publicURL: publicURL) }))
        case .credentials(let info): self = .credentialsOnly(CredentialsOnly(fileHash: digest, manifestInfo: info, note: info.note))
        case .noRecord: self = .noRecord(digest: digest)
        }
    }
}

extension VerificationBody.OtherClaim {
    init(_ claim: Claim, publicURL: String) {
        self.init(
            captureID: claim.row.id, matched: claim.matched, confidenceLevel: claim.row.confidence,
            developmentAttestation: claim.isDevelopment, standing: claim.row.isRevoked ? .revoked : .stands,
            captureMode: claim.row.kind.mode, uploadedAt: claim.row.publicUploadedAt,
            verificationURL: publicURL + PagePath.capture(claim.row.id))
    }
}
