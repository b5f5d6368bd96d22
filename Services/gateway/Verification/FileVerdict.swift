import CaptureProtocol
import Models

/// What is known of a file.
enum FileVerdict: Sendable {
    /// Captures claim it, those with the strongest evidence first.
    case claimed(by: Claim, others: [Claim])
    /// No record has it, but it carries Content Credentials of some sort.
    case credentials(ManifestInfo)
    case noRecord

    /// As bodies and logs say it.
    var status: String {
        switch self {
        case .claimed: "verified"
        case .credentials: "c2pa_only"
        case .noRecord: "no_record"
        }
    }

    /// The capture whose record the file belongs to.
    var captureID: CaptureID? {
        if case .claimed(let claim, _) = self { return claim.row.id }
        return nil
    }

    /// `nil` without claims.
    init?(_ claims: [Claim]) {
        guard let first = claims.first else { return nil }
        self = .claimed(by: first, others: Array(claims.dropFirst()))
    }
}

/// A file, or its digest, that was looked up.
struct FileVerification: Sendable {
    let digest: ContentDigest
    let verdict: FileVerdict
    /// What the client may still look up; `nil` where there is no limit.
    let allowance: RateAllowance?
}
