/// One of the six services; used in names of tables, consumer groups, dead-letter topics, roles and users.
public enum ServiceName: String, Sendable, CaseIterable {
    case gateway
    case attestationVerifier = "attestation-verifier"
    case depthAnalyzer = "depth-analyzer"
    case uploadSync = "upload-sync"
    case evidenceAssembler = "evidence-assembler"
    case transparencyLog = "transparency-log"

    /// The prefix of its tables in PostgreSQL.
    public var tablePrefix: String { rawValue.replacing("-", with: "_") }
}
