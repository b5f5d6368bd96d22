public import CaptureProtocol

/// A `.rial`: all statements of a capture with what proves them, to be verified offline (SPEC §14 "Bundle").
///
/// Reading checks form alone: that there is one way to read these bytes. ``BundleVerifier`` says what they prove.
public struct EvidenceBundle: Sendable, Equatable {
    /// A statement with its proof.
    public struct Logged: Sendable, Equatable {
        public var statement: Statement
        /// The public form of the evidence, as the statement's digest is over it; of statements with a verdict, and only of those.
        public var evidence: [UInt8]?
        /// A proof in the format of c2sp.org/tlog-proof, with the salt as `extra`.
        public var proof: [UInt8]
        /// An RFC 3161 answer over the checkpoint.
        public var timestamp: [UInt8]?

        public init(statement: Statement, evidence: [UInt8]?, proof: [UInt8], timestamp: [UInt8]?) {
            self.statement = statement
            self.evidence = evidence
            self.proof = proof
            self.timestamp = timestamp
        }
    }

    /// For people who unpack it; covered by nothing.
    public var readme: [UInt8]?
    /// A hint where to find a policy; covered by nothing, and trusted by nobody.
    public var policy: [UInt8]?
    /// At least one, in the order of their sequence.
    public var statements: [Logged]
    /// The C2PA manifest store.
    public var manifest: [UInt8]?
    /// Published files by their names.
    public var media: [String: [UInt8]]
    /// What only an owner's bundle has; `nil` in a public one.
    public var owner: OwnerParts?

    public init(
        statements: [Logged], readme: [UInt8]? = nil, policy: [UInt8]? = nil, manifest: [UInt8]? = nil, media: [String: [UInt8]] = [:],
        owner: OwnerParts? = nil
    ) {
        self.statements = statements
        self.readme = readme
        self.policy = policy
        self.manifest = manifest
        self.media = media
        self.owner = owner
    }

    /// What the owner of a capture has beside the public: what the hardware signed, and what `raw` commits to.
    public struct OwnerParts: Sendable, Equatable {
        /// What the hardware signed a digest of, as the device sent it.
        public enum Signed: Sendable, Equatable {
            case metadata([UInt8])
            /// The signed payload of a hash-only capture.
            case payload([UInt8])
        }

        public var raw: RawParts
        /// CBOR, as `attestation` is.
        public var assertion: [UInt8]?
        public var attestation: [UInt8]?
        /// The client data hash of the attestation.
        public var clientDataHash: ContentDigest?
        public var signed: Signed?
        /// The original; the owner adds it, as the depth.
        public var photo: [UInt8]?
        /// As it was sent, compressed.
        public var depth: [UInt8]?

        public init(
            raw: RawParts, assertion: [UInt8]? = nil, attestation: [UInt8]? = nil, clientDataHash: ContentDigest? = nil,
            signed: Signed? = nil, photo: [UInt8]? = nil, depth: [UInt8]? = nil
        ) {
            self.raw = raw
            self.assertion = assertion
            self.attestation = attestation
            self.clientDataHash = clientDataHash
            self.signed = signed
            self.photo = photo
            self.depth = depth
        }
    }
}
