/// One of the five services; names its tables, consumer group and dead-letter topics.
public enum ServiceName: String, Sendable, CaseIterable {
    case gateway
    case attestationVerifier = "attestation-verifier"
    case depthAnalyzer = "depth-analyzer"
    case uploadSync = "upload-sync"
    case evidenceAssembler = "evidence-assembler"

    /// `rawValue` as PostgreSQL spells it.
    public var tablePrefix: String { rawValue.replacing("-", with: "_") }
    public var outboxTable: String { tablePrefix + "_outbox" }
    public var inboxTable: String { tablePrefix + "_inbox" }
    /// Of services that handle records: the gateway only looks at their keys.
    var inHandTable: String { tablePrefix + "_in_hand" }
    var heartbeatTable: String { tablePrefix + "_heartbeat" }
}
