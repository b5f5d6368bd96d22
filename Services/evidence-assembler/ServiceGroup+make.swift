import Logging
import Models
import Observability
import Pipeline
import ServiceLifecycle

/// Builds the service from its settings.
func makeServiceGroup(_ settings: Settings, metrics: MetricsRegistry, logger: Logger) throws -> ServiceGroup {
    let backbone = try Backbone(.evidenceAssembler, settings: settings.common, metrics: metrics, logger: logger)
    let assembly = CaptureAssembly(
        database: backbone.database, storage: backbone.storage, outbox: backbone.outbox, inbox: backbone.inbox)
    return backbone.serviceGroup([
        backbone.consume(AssembleEvidence<AttestationAppraised>(assembly: assembly)),
        backbone.consume(AssembleEvidence<DepthAnalyzed>(assembly: assembly)),
        backbone.consume(AssembleEvidence<MediaSynced>(assembly: assembly)),
    ])
}
