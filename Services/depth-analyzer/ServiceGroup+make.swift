import Models
import Delivery
import Logging
import Observability
import ServiceLifecycle
import ServiceRuntime

/// Builds the service from its settings.
func makeServiceGroup(_ settings: Settings, metrics: MetricsRegistry, logger: Logger) throws -> ServiceGroup {
    let backbone = try Backbone(.depthAnalyzer, settings: settings.common, metrics: metrics, logger: logger)
    let handler = PartHandler(
        AnalyzeDepth(analysis: CaptureAnalysis(storage: backbone.storage)),
        parts: PostgresPartRepository(.depthAnalyzer, database: backbone.database))
    return backbone.serviceGroup([backbone.consume(handler)])
}
