import Foundation
import Models

/// What a foreign manifest says, as far as it may be repeated: of one whose validation failed only state and codes.
struct ManifestInfo: Encodable {
    let generator: String?
    let title: String?
    let issuer: String?
    let signedAt: String?
    let validationState: String
    let validationCodes: [Code]
    let assertions: [String]
    /// Where the manifest says that it lies; never fetched.
    let remoteURL: String?

    struct Code: Encodable {
        let code: String
        let kind: String
        let explanation: String?
    }

    init(_ report: CredentialReport) {
        let isSound = report.state == .trusted || report.state == .valid
        validationState = report.state.rawValue
        generator = isSound ? report.generator : nil
        title = isSound ? report.title : nil
        issuer = isSound ? report.issuer : nil
        signedAt = isSound ? report.signedAt : nil
        assertions = isSound ? report.assertions.map(\.label) : []
        // Explanations quote names of the manifest's parts, which whoever changed it may have chosen.
        validationCodes = report.validationCodes.map {
            Code(code: $0.code, kind: $0.kind.rawValue, explanation: isSound ? $0.explanation : nil)
        }
        remoteURL = report.remoteURL
    }

    /// The file could not be read at all, or not within its limits.
    init(unreadable reason: String) {
        generator = nil
        title = nil
        issuer = nil
        signedAt = nil
        assertions = []
        remoteURL = nil
        validationState = "unreadable"
        validationCodes = [Code(code: "rial.inspection.\(reason)", kind: "failure", explanation: nil)]
    }

    /// One sentence for people.
    var note: String {
        switch validationState {
        case "trusted":
            "No record of ours has this file. Its Content Credentials are intact, and a listed authority vouches for who signed them."
        case "valid": "No record of ours has this file. Its Content Credentials are intact, but nobody we know vouches for who signed them."
        case "invalid":
            "No record of ours has this file. Its Content Credentials do not fit it: it may have been changed after signing, or the signature has expired."
        case "remote": "No record of ours has this file. It says that its Content Credentials lie elsewhere; they were not fetched."
        default: "No record of ours has this file. Its Content Credentials could not be read; this says nothing about what it shows."
        }
    }

    enum CodingKeys: String, CodingKey {
        case generator, title, issuer
        case signedAt = "signed_at"
        case validationState = "validation_state"
        case validationCodes = "validation_codes"
        case assertions
        case remoteURL = "remote_url"
    }
}
