public import CaptureProtocol

/// What a verifier reads of the evidence: statuses of its checks and versions of its rules. The bytes are the server's, so members that are
/// not known here are passed over.
public struct CheckedEvidence: Sendable, Equatable {
    /// SPEC §3.
    public enum Status: String, Sendable, CaseIterable { case pass, fail, inconclusive, unavailable }

    public let kind: CaptureKind
    public let hardware: Status
    /// The status of the chain of a stored recording; `nil` for other captures.
    public let hashChain: Status?
    /// Whether that chain, computed again, is the one that was sent.
    private let isChainIntact: Bool
    public let depth: Status
    /// The statuses of timestamp, model, resolution and location.
    public let metadata: [Status]
    public let algorithms: [String: String]
    /// What the assertion covers; `nil` if none verified.
    public let binding: AssertionBinding?
    /// Whether a development root attested the device and not Apple's.
    public let isDevelopmentAttestation: Bool

    /// Whether an accepted signature covers time, place and model.
    public var coversMetadata: Bool {
        hardware == .pass && binding?.signedParts(isChainIntact: isChainIntact).contains(.metadata) == true
    }

    /// - Returns: `nil` for anything but evidence in the form of SPEC §4.
    init?(_ bytes: [UInt8]) {
        guard let evidence = (try? StrictJSON(bytes))?.members, let type = evidence["type"]?.text, let isStored = evidence["media_stored"],
            let kind = CaptureKind(type: type, mode: isStored == .bool(true) ? "full" : "hash_only"),
            let hardware = evidence["hardware_attestation"]?.members, let hardwareStatus = hardware.status,
            let depth = evidence["depth_analysis"]?.members?.status, let metadata = evidence["metadata"]?.members,
            let versions = evidence["algorithm_versions"]?.members
        else { return nil }
        let checks = ["timestamp", "model", "resolution", "location"].compactMap { metadata[$0]?.members?.status }
        let algorithms = versions.compactMapValues(\.text)
        guard checks.count == 4, algorithms.count == versions.count else { return nil }
        self.kind = kind
        self.hardware = hardwareStatus
        let chain = evidence["hash_chain"]?.members
        hashChain = chain?.status
        isChainIntact = chain?["chain_intact"] == .bool(true)
        self.depth = depth
        self.metadata = checks
        self.algorithms = algorithms
        isDevelopmentAttestation = hardware["development_attestation"] == .bool(true)
        binding = hardware["binding"]?.text.flatMap(AssertionBinding.init(rawValue:))
    }
}

extension StrictJSON {
    fileprivate var members: [String: StrictJSON]? { if case .object(let members) = self { members } else { nil } }
    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
}

extension [String: StrictJSON] {
    fileprivate var status: CheckedEvidence.Status? { self["status"]?.text.flatMap(CheckedEvidence.Status.init(rawValue:)) }
}
