public import CaptureProtocol

/// What other modules say about parts of a bundle. What is `nil` is not checked, and the report says so.
public struct BundleExaminers: Sendable {
    /// Computes the confidence by the rule of SPEC §3; `nil` if these versions of the rules are not known here.
    public var confidence: (@Sendable (CheckedEvidence) -> Verdict.Confidence?)?
    /// Verifies a manifest store and its file by the C2PA library.
    public var contentCredentials: (@Sendable (CredentialsQuestion) async -> Finding)?
    /// Verifies an attestation's chain and an assertion by its key.
    public var device: (@Sendable (DeviceQuestion) async -> DeviceFindings)?
    /// Analyses the depth again and compares the numbers.
    public var depth: (@Sendable (DepthQuestion) async -> Finding)?

    /// - Parameters: see the properties of the same names.
    public init(
        confidence: (@Sendable (CheckedEvidence) -> Verdict.Confidence?)? = nil,
        contentCredentials: (@Sendable (CredentialsQuestion) async -> Finding)? = nil,
        device: (@Sendable (DeviceQuestion) async -> DeviceFindings)? = nil,
        depth: (@Sendable (DepthQuestion) async -> Finding)? = nil
    ) {
        self.confidence = confidence
        self.contentCredentials = contentCredentials
        self.device = device
        self.depth = depth
    }
}

/// A file with its digest.
public struct GivenFile: Sendable, Equatable {
    /// As it is called in the report.
    public let name: String
    public let digest: ContentDigest
    /// `nil` if it was only hashed.
    public let bytes: [UInt8]?

    /// A file of which the caller knows the digest.
    public init(name: String, digest: ContentDigest) {
        self.name = name
        self.digest = digest
        bytes = nil
    }

    public init(name: String, bytes: [UInt8]) {
        self.name = name
        digest = ContentDigest(of: bytes)
        self.bytes = bytes
    }
}

/// What is asked about Content Credentials.
public struct CredentialsQuestion: Sendable {
    /// The store as it stands in the bundle; its digest is one that the verdict names. `nil` if the store inside `asset` is meant.
    public let store: [UInt8]?
    /// The signed copy, whose digest the verdict names too, and its name there.
    public let asset: GivenFile?
    public let verdict: Verdict
    /// POSIX seconds by which witnesses had seen the first statement with the store's digest. The signing certificate must have been valid
    /// then.
    public let witnessedAt: UInt64?
}

/// What is asked about the device that signed a capture.
public struct DeviceQuestion: Sendable {
    public let kind: CaptureKind
    /// The device's attestation and the capture's assertion, and the digests of what was signed; `raw` commits to all of them.
    public let owner: EvidenceBundle.OwnerParts
    /// The client data hashes that the assertion may be over, by what they cover; of a recording there are none, since only `owner.raw` has
    /// its parts.
    public let clientDataHashes: [(binding: AssertionBinding, hash: ContentDigest)]
    /// What the evidence says that the assertion covers.
    public let binding: AssertionBinding?
}

/// The answer to a ``DeviceQuestion``: one finding for the attestation and one for the assertion, which may differ.
public struct DeviceFindings: Sendable, Equatable {
    public let attestation: Finding
    public let assertion: Finding

    public init(attestation: Finding, assertion: Finding) {
        self.attestation = attestation
        self.assertion = assertion
    }
}

/// What is asked about a capture's depth.
public struct DepthQuestion: Sendable {
    public let kind: CaptureKind
    /// The depth as it was sent, compressed. `owner.raw` commits to its digest, and to those of the photo and of what was signed, if the
    /// bundle has them.
    public let depth: [UInt8]
    public let owner: EvidenceBundle.OwnerParts
    /// The evidence, with the numbers that the analysis must give again.
    public let evidence: [UInt8]
}
