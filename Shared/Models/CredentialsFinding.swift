/// The conclusion about the Content Credentials of a file that is on no record.
public enum CredentialsFinding: String, CaseIterable, Sendable {
    case trusted, valid, own, invalid, ingredient, detached, expired, unreadable, remote

    public init(_ info: ManifestInfo) {
        let state = CredentialsFinding(rawValue: info.validationState) ?? .unreadable
        guard state == .invalid else {
            self = state == .valid && info.isOwnSigner ? .own : state
            return
        }
        let failures = info.validationCodes.filter { $0.kind == "failure" }
        let grave = failures.filter { $0.code != "signingCredential.untrusted" }
        if info.isDetached {
            // A detached manifest is never intact; that does not mean that it was changed.
            self = .detached
        } else if !grave.isEmpty, grave.allSatisfy({ $0.ingredient == true }) {
            self = .ingredient
        } else if !grave.isEmpty, grave.allSatisfy({ $0.code == "signingCredential.expired" && $0.ingredient != true }) {
            // An expired certificate does not mean that the file was changed.
            self = .expired
        } else {
            self = .invalid
        }
    }

    public var status: CheckStatus {
        switch self {
        case .trusted: .pass
        case .valid, .own, .expired, .ingredient: .inconclusive
        case .invalid: .fail
        case .unreadable, .remote, .detached: .unavailable
        }
    }

    /// Whether the manifest's statements may be presented as facts.
    public var mayBeRepeated: Bool { self == .trusted || self == .valid || self == .own }

    /// The text for the API's note; the site has its own texts.
    public var sentence: String {
        switch self {
        case .trusted: "Its Content Credentials are intact, and a listed authority vouches for who signed them."
        case .valid: "Its Content Credentials are intact, but nobody we know vouches for who signed them."
        case .own:
            "Its Content Credentials are intact and signed by us, but they match no record: we do not vouch for them."
        case .invalid:
            "Its Content Credentials do not fit it: it may have been changed after signing, or the signature does not count."
        case .ingredient:
            "Its own Content Credentials fit it, but those of something that it was made from do not hold."
        case .detached:
            "It is a manifest without the file that it is about: there is nothing that it could be checked against. Send the file itself."
        case .expired: "The certificate that signed its Content Credentials has run out, and no time stamp shows when it was used."
        case .remote: "It says that its Content Credentials lie elsewhere; they were not fetched."
        case .unreadable: "Its Content Credentials could not be read; this says nothing about what it shows."
        }
    }
}
