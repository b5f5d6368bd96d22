/// The public content of a foreign manifest: only state and codes if its validation failed.
public struct ManifestInfo: Encodable, Sendable {
    public let generator: String?
    public let title: String?
    public let issuer: String?
    public let signedAt: String?
    /// `trusted` only through the operator's list: a file signed by us that is on no record is `valid`.
    public let validationState: String
    public let validationCodes: [Code]
    public let assertions: [String]
    /// The address of a remote manifest; never fetched.
    public let remoteURL: String?
    /// The manifest was sent without its file, so its hash could not be compared.
    public let isDetached: Bool
    /// Intact and signed with our certificate, but on no record.
    public let isOwnSigner: Bool

    /// One finding of the validation, as ``CredentialReport/Code`` has it, without the part of the manifest.
    public struct Code: Encodable, Sendable {
        public let code: String
        public let kind: String
        public let explanation: String?
        /// Whether the code is about an ingredient.
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
        // Explanations quote names of the manifest's parts, which are untrusted if it was changed.
        validationCodes = report.validationCodes.map {
            Code(code: $0.code, kind: $0.kind.rawValue, explanation: isSound ? $0.explanation : nil, ingredient: $0.ingredient)
        }
        remoteURL = report.remoteURL
        self.isDetached = isDetached
    }

    /// The report for a file that could not be read, or only beyond the limits.
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
    public var note: String { "No record has this file. " + CredentialsFinding(self).sentence }

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
