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

    /// - Parameters: each as the property of its name.
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
    /// As it stands in the bundle; its digest is one that the verdict names. `nil`: the file's own is meant.
    public let store: [UInt8]?
    /// The signed copy, whose digest the verdict names too, and its name there.
    public let asset: GivenFile?
    public let verdict: Verdict
    /// POSIX seconds by which the first statement with the store's digest was seen; a signing certificate that was valid then was in time.
    public let witnessedAt: UInt64?
}

/// What is asked about the device that signed a capture.
public struct DeviceQuestion: Sendable {
    public let kind: CaptureKind
    /// Its attestation and assertion, and the digests of what was signed, all as `raw` commits to them.
    public let owner: EvidenceBundle.OwnerParts
    /// The client data hashes that the assertion may be over, by what they cover; of a recording there are none, since only `owner.raw` has
    /// its parts.
    public let clientDataHashes: [(binding: AssertionBinding, hash: ContentDigest)]
    /// What the evidence says that the assertion covers.
    public let binding: AssertionBinding?
}

/// The answer to a ``DeviceQuestion``: of the attestation and of the assertion, which may differ.
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
    /// As it was sent, compressed; its digest is one that `raw` commits to. So are the photo and what was signed, where they are there.
    public let depth: [UInt8]
    public let owner: EvidenceBundle.OwnerParts
    /// With the numbers that it has to give.
    public let evidence: [UInt8]
}
