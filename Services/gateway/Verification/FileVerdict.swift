import CaptureProtocol
import Models

/// The result of verifying a file.
enum FileVerdict: Sendable {
    /// Captures claim the file; those with a stored file come first, then by level.
    case claimed(by: Claim, others: [Claim])
    /// No record has the file, but it contains Content Credentials.
    case credentials(ManifestInfo)
    case noRecord

    /// The code for response bodies and logs.
    var status: String {
        switch self {
        case .claimed: "verified"
        case .credentials: "c2pa_only"
        case .noRecord: "no_record"
        }
    }

    /// The first claiming capture; `nil` without claims.
    var capture: CaptureRow? {
        if case .claimed(let claim, _) = self { return claim.row }
        return nil
    }

    var captureID: CaptureID? { capture?.id }

    /// `nil` without claims.
    init?(_ claims: [Claim]) {
        guard let first = claims.first else { return nil }
        self = .claimed(by: first, others: Array(claims.dropFirst()))
    }
}

/// The result for a file or a digest.
struct FileVerification: Sendable {
    let digest: ContentDigest
    let verdict: FileVerdict
    /// The state of the client's rate limit; `nil` without one.
    let allowance: RateAllowance?
}
