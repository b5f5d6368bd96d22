import Foundation

/// What the Content Credentials of a file say and whether they hold.
///
/// Of a report whose state is neither `trusted` nor `valid` nothing but state and codes may be repeated as a fact.
public struct CredentialReport: Codable, Sendable, Equatable {
    public enum State: String, Codable, Sendable {
        /// Intact, and signed by someone whom a trust anchor vouches for.
        case trusted
        /// Intact; nobody we know vouches for the signer.
        case valid
        /// Changed after signing, or signed by a certificate that did not count at the time.
        case invalid
        case unreadable
        /// The file says that its manifest lies elsewhere. It is never fetched.
        case remote
        /// No Content Credentials.
        case none
    }

    public struct Code: Codable, Sendable, Equatable {
        public enum Kind: String, Codable, Sendable { case success, informational, failure }
        /// As the C2PA specification spells it (§15.2.2), or `c2pa.error.…` for an error of the library.
        public let code: String
        public let kind: Kind
        /// The part of the manifest that it is about.
        public let url: String?
        public let explanation: String?
        /// It is about something that the file was made from; absent for the file's own manifest.
        public let ingredient: Bool?

        public init(code: String, kind: Kind, url: String? = nil, explanation: String? = nil, ingredient: Bool? = nil) {
            self.code = code
            self.kind = kind
            self.url = url
            self.explanation = explanation
            self.ingredient = ingredient
        }
    }

    /// Which of our two lists vouches for the signer. They are apart: a stranger is never trusted for being listed as us, nor are we for
    /// whom an operator lists.
    public enum Voucher: String, Codable, Sendable {
        /// The service's own certificates.
        case own
        /// The authorities that the operator lists.
        case listed
    }

    public struct Assertion: Codable, Sendable, Equatable {
        public let label: String
        /// The signer vouches for it; false where it only gathered it.
        public let isCreated: Bool
        /// JSON text; only of labels that begin with `app.rial.`.
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
    /// Present where the state is `trusted`.
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
    /// Only where a time stamp ends at a configured time-stamp anchor.
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
