public import Foundation
public import Observability

/// Where spans are sent, by OpenTelemetry's own variables.
public struct TracingSettings: Sendable, Equatable {
    public let endpoint: URL
    /// `service.name`; `nil` for the service's own.
    public let serviceName: String?
    public let ratio: SamplingRatio

    /// `nil` without an endpoint: no spans are made then.
    public static func read(_ environment: ServiceEnvironment) throws -> TracingSettings? {
        // The general endpoint is that of all signals; each has a path of its own below it.
        let general = try environment.url("OTEL_EXPORTER_OTLP_ENDPOINT")?.appending(path: "v1/traces")
        guard let endpoint = try environment.url("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") ?? general else { return nil }
        return TracingSettings(
            endpoint: endpoint, serviceName: try environment.optional("OTEL_SERVICE_NAME"), ratio: try ratio(environment))
    }

    private static func ratio(_ environment: ServiceEnvironment) throws -> SamplingRatio {
        guard let text = try environment.optional("OTEL_TRACES_SAMPLER_ARG") else { return .all }
        guard let ratio = Double(text).flatMap(SamplingRatio.init) else {
            throw SettingsError("OTEL_TRACES_SAMPLER_ARG", "must be a number from 0 to 1, not “\(text)”")
        }
        return ratio
    }
}
