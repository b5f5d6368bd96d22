/// What a foreign manifest says, as far as it may be repeated: of one whose validation failed only state and codes.
public struct ManifestInfo: Encodable, Sendable {
    public let generator: String?
    public let title: String?
    public let issuer: String?
    public let signedAt: String?
    /// `trusted` only by the operator's list: a file of ours that is on no record is `valid`.
    public let validationState: String
    public let validationCodes: [Code]
    public let assertions: [String]
    /// Where the manifest says that it lies; never fetched.
    public let remoteURL: String?
    /// Sent without the file that it is about, so that there is nothing that it could fit.
    public let isDetached: Bool
    /// Intact and signed with a certificate of ours, and yet not what we have on record.
    public let isOwnSigner: Bool

    public struct Code: Encodable, Sendable {
        public let code: String
        public let kind: String
        public let explanation: String?
        /// It is about something that the file was made from.
        public let ingredient: Bool?
    }

    public init(_ report: CredentialReport, isDetached: Bool = false) {
        isOwnSigner = report.state == .trusted && report.voucher == .own
        let state = isOwnSigner ? .valid : report.state
        let isSound = state == .trusted || state == .valid
        validationState = state.rawValue
        generator = isSound ? report.generator : nil
        title = isSound ? report.title : nil
        issuer = isSound ? report.issuer : nil
        signedAt = isSound ? report.signedAt : nil
        assertions = isSound ? report.assertions.map(\.label) : []
        // Explanations quote names of the manifest's parts, which whoever changed it may have chosen.
        validationCodes = report.validationCodes.map {
            Code(code: $0.code, kind: $0.kind.rawValue, explanation: isSound ? $0.explanation : nil, ingredient: $0.ingredient)
        }
        remoteURL = report.remoteURL
        self.isDetached = isDetached
    }

    /// The file could not be read at all, or not within its limits.
    public init(unreadable reason: String) {
        generator = nil
        title = nil
        issuer = nil
        signedAt = nil
        assertions = []
        remoteURL = nil
        isDetached = false
        isOwnSigner = false
        validationState = "unreadable"
        validationCodes = [Code(code: "rial.inspection.\(reason)", kind: "failure", explanation: nil, ingredient: nil)]
    }

    /// One sentence for people.
    public var note: String { "No record of ours has this file. " + CredentialsFinding(self).sentence }

    enum CodingKeys: String, CodingKey {
        case generator, title, issuer
        case signedAt = "signed_at"
        case validationState = "validation_state"
        case validationCodes = "validation_codes"
        case assertions
        case remoteURL = "remote_url"
        case isDetached = "detached"
        case isOwnSigner = "own_signer"
    }
}
