import CaptureProtocol
import Models
import Site

extension FileResult {
    init(_ answer: VerificationAnswer) {
        switch answer {
        case .verified(let found): self = .known(KnownFile(found), digest: found.fileHash)
        case .credentialsOnly(let found): self = .credentials(found.manifestInfo, digest: found.fileHash)
        case .noRecord(let digest): self = .noRecord(digest: digest)
        }
    }
}

extension KnownFile {
    init(_ found: VerificationAnswer.Verified) {
        self.init(
            matched: found.matched, captureID: found.captureID, confidence: found.confidenceLevel, evidence: found.evidence,
            others: found.otherClaims.map {
                OtherClaim(
                    captureID: $0.captureID, confidence: $0.confidenceLevel, isDevelopment: $0.developmentAttestation,
                    receivedAt: $0.uploadedAt)
            })
    }
}

extension FileResult.Problem {
    /// - Parameter declaredBytes: what was refused below the limit for videos was taken for a picture.
    init(_ error: APIError, declaredBytes: Int?) {
        self =
            switch error.code {
            case .payloadTooLarge: .tooLarge(isVideo: (declaredBytes ?? 0) > FileIntake.maximumVideoBytes)
            case .unsupportedMediaType: .unsupportedType
            case .validationError where error.details.contains { $0.problem == "is empty" }: .empty
            case .validationError: .missing
            case .rateLimited: .rateLimited(retrySeconds: error.retrySeconds)
            default: .unavailable
            }
    }
}
