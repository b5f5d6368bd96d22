import CaptureProtocol
import Models
import Site

extension FileResult {
    init(_ verification: FileVerification) {
        switch verification.verdict {
        case .claimed(let claim, let others):
            let file = KnownFile(
                matched: claim.matched, captureID: claim.row.id, confidence: claim.row.confidence,
                evidence: claim.row.publicEvidence,
                isRevoked: claim.row.isRevoked,
                others: others.map {
                    KnownFile.OtherClaim(
                        captureID: $0.row.id, confidence: $0.row.confidence, isDevelopment: $0.isDevelopment, isRevoked: $0.row.isRevoked,
                        receivedAt: $0.row.publicUploadedAt)
                })
            self = .known(file, digest: verification.digest)
        case .credentials(let info): self = .credentials(info, digest: verification.digest)
        case .noRecord: self = .noRecord(digest: verification.digest)
        }
    }
}

extension FileResult.Problem {
    /// - Parameters:
    ///   - refusal: the API's response to the error.
    ///   - declaredBytes: the declared size of the body; a file rejected below the limit for videos was treated as a picture.
    init(_ error: any Error, _ refusal: APIError, declaredBytes: Int?) {
        self =
            switch refusal.code {
            case .payloadTooLarge: .tooLarge(isVideo: (declaredBytes ?? 0) > SizeLimits.video)
            case .unsupportedMediaType: .unsupportedType
            case .validationError: error as? VerificationError == .fileEmpty ? .empty : .missing
            case .rateLimited: .rateLimited(retrySeconds: refusal.retrySeconds)
            default: .unavailable
            }
    }
}
