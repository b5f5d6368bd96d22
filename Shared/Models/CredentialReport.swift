import Foundation

/// The content of a file's Content Credentials, and whether they are valid.
///
/// If the state is neither `trusted` nor `valid`, only the state and the codes may be presented as facts.
public struct CredentialReport: Codable, Sendable, Equatable {
    /// The outcome of the validation.
    public enum State: String, Codable, Sendable {
        /// Intact, and a trust anchor vouches for the signer.
        case trusted
        /// Intact, but no known anchor vouches for the signer.
        case valid
        /// Changed after signing, or signed with a certificate that was not acceptable at the time.
        case invalid
        case unreadable
        /// The file refers to a remote manifest, which is never fetched.
        case remote
        /// No Content Credentials.
        case none
    }

    /// One finding of the validation.
    public struct Code: Codable, Sendable, Equatable {
        public enum Kind: String, Codable, Sendable { case success, informational, failure }
        /// A status code of the C2PA specification (§15.2.2), or `c2pa.error.…` for an error of the library.
        public let code: String
        public let kind: Kind
        /// The part of the manifest to which the code applies.
        public let url: String?
        public let explanation: String?
        /// Whether the code is about an ingredient; absent for the file's own manifest.
        public let ingredient: Bool?

        public init(code: String, kind: Kind, url: String? = nil, explanation: String? = nil, ingredient: Bool? = nil) {
            self.code = code
            self.kind = kind
            self.url = url
            self.explanation = explanation
            self.ingredient = ingredient
        }
    }

    /// Which of our two anchor lists vouches for the signer. They are separate: our own list never makes a foreign signer trusted, and the
    /// operator's list never makes a signer ours.
    public enum Voucher: String, Codable, Sendable {
        /// The service's own certificates.
        case own
        /// The authorities that the operator lists.
        case listed
    }

    /// One assertion of the active manifest.
    public struct Assertion: Codable, Sendable, Equatable {
        public let label: String
        /// Whether the assertion was created by the signer; false if it was only gathered (C2PA "created" and "gathered" assertions).
        public let isCreated: Bool
        /// JSON text; only for labels that begin with `app.rial.`.
        public let data: String?

        public init(label: String, isCreated: Bool, data: String?) {
            self.label = label
            self.isCreated = isCreated
            self.data = data
        }
        enum CodingKeys: String, CodingKey {
            case label
            case isCreated = "created"
            case data
        }
    }

    public var state: State
    /// Present if the state is `trusted`.
    public var voucher: Voucher?
    /// The active manifest's label.
    public var activeManifest: String?
    public var claimVersion: Int?
    /// "name/version".
    public var generator: String?
    public var title: String?
    public var issuer: String?
    public var commonName: String?
    public var certificateSerial: String?
    public var algorithm: String?
    /// The time of the time stamp; only if a configured time-stamp anchor vouches for it.
    public var signedAt: String?
    public var validationCodes: [Code] = []
    public var assertions: [Assertion] = []
    public var ingredients = 0
    public var remoteURL: String?

    public init(state: State) { self.state = state }

    enum CodingKeys: String, CodingKey {
        case state, voucher
        case activeManifest = "active_manifest"
        case claimVersion = "claim_version"
        case generator, title, issuer
        case commonName = "common_name"
        case certificateSerial = "certificate_serial"
        case algorithm
        case signedAt = "signed_at"
        case validationCodes = "validation_codes"
        case assertions, ingredients
        case remoteURL = "remote_url"
    }
}
