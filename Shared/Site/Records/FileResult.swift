package import CaptureProtocol
package import Foundation
package import Models

/// The result for a file that was sent without JavaScript.
package enum FileResult: Sendable {
    case known(KnownFile, digest: ContentDigest)
    /// On no record, but with Content Credentials, valid or not.
    case credentials(ManifestInfo, digest: ContentDigest)
    case noRecord(digest: ContentDigest)
    case problem(Problem)

    /// Why the file was not looked up.
    package enum Problem: Sendable, Equatable {
        case tooLarge(isVideo: Bool)
        case unsupportedType, empty, missing
        case rateLimited(retrySeconds: TimeInterval)
        case unavailable
    }
}

/// A file that captures claim, with the data of the first of them.
package struct KnownFile: Sendable {
    let matched: MediaRole
    let captureID: CaptureID
    let confidence: ConfidenceLevel?
    /// The public form.
    let evidence: EvidencePackage?
    /// Whether the verdict was taken back.
    let isRevoked: Bool
    let others: [OtherClaim]

    /// Another capture of the same file.
    package struct OtherClaim: Sendable {
        let captureID: CaptureID
        let confidence: ConfidenceLevel?
        let isDevelopment: Bool
        let isRevoked: Bool
        let receivedAt: SharedTime

        package init(
            captureID: CaptureID, confidence: ConfidenceLevel?, isDevelopment: Bool, isRevoked: Bool = false, receivedAt: SharedTime
        ) {
            self.captureID = captureID
            self.confidence = confidence
            self.isDevelopment = isDevelopment
            self.isRevoked = isRevoked
            self.receivedAt = receivedAt
        }
    }

    package init(
        matched: MediaRole, captureID: CaptureID, confidence: ConfidenceLevel?, evidence: EvidencePackage?, isRevoked: Bool = false,
        others: [OtherClaim]
    ) {
        self.matched = matched
        self.captureID = captureID
        self.confidence = confidence
        self.evidence = evidence
        self.isRevoked = isRevoked
        self.others = others
    }
}
