/// One of the five services; names its tables, consumer groups, dead-letter topics, roles and users.
public enum ServiceName: String, Sendable, CaseIterable {
    case gateway
    case attestationVerifier = "attestation-verifier"
    case depthAnalyzer = "depth-analyzer"
    case uploadSync = "upload-sync"
    case evidenceAssembler = "evidence-assembler"

    /// `rawValue` as PostgreSQL spells it.
    public var tablePrefix: String { rawValue.replacing("-", with: "_") }
}
