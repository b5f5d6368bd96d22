public import Foundation
public import Observability
public import Secrets

/// Where spans are sent, by OpenTelemetry's own variables.
public struct TracingSettings: Sendable, Equatable {
    public let endpoint: URL
    /// `service.name`; `nil` for the service's own.
    public let serviceName: String?
    public let ratio: SamplingRatio
    /// Sent with each request to the collector, such as its credentials.
    public let headers: [Header]

    /// A header of requests to the collector.
    public struct Header: Sendable, Equatable {
        public let name: String
        public let value: Secret<String>
    }

    /// `nil` without an endpoint: no spans are made then.
    /// - Throws: ``SettingsError``.
    public static func read(_ environment: ServiceEnvironment) throws -> TracingSettings? {
        // The general endpoint is that of all signals; each has a path of its own below it.
        let general = try environment.url("OTEL_EXPORTER_OTLP_ENDPOINT")?.appending(path: "v1/traces")
        guard let endpoint = try environment.url("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") ?? general else { return nil }
        return TracingSettings(
            endpoint: endpoint, serviceName: try environment.optional("OTEL_SERVICE_NAME"), ratio: try ratio(environment),
            headers: try headers(environment))
    }

    /// `name=value` with commas between, values percent-encoded (OpenTelemetry's specification, "OTLP exporter": those of the signal
    /// replace the general ones). Errors do not show them.
    private static func headers(_ environment: ServiceEnvironment) throws -> [Header] {
        for variable in ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"] {
            guard let text = try environment.optional(variable) else { continue }
            return try text.split(separator: ",").map { entry in
                guard let header = Header(entry) else { throw SettingsError(variable, "must be name=value,…, values percent-encoded") }
                return header
            }
        }
        return []
    }

    private static func ratio(_ environment: ServiceEnvironment) throws -> SamplingRatio {
        guard let text = try environment.optional("OTEL_TRACES_SAMPLER_ARG") else { return .all }
        guard let ratio = Double(text).flatMap(SamplingRatio.init) else {
            throw SettingsError("OTEL_TRACES_SAMPLER_ARG", "must be a number from 0 to 1, not “\(text)”")
        }
        return ratio
    }
}

extension TracingSettings.Header {
    /// Headers that are the exporter's own (RFC 9110, RFC 9112).
    private static let reserved: Set = ["connection", "content-length", "content-type", "host", "transfer-encoding", "user-agent"]

    /// - Returns: `nil` if it is malformed, or one of the exporter's own.
    fileprivate init?(_ entry: Substring) {
        guard let sign = entry.firstIndex(of: "="),
            let value = entry[entry.index(after: sign)...].trimmingCharacters(in: .whitespaces).removingPercentEncoding
        else { return nil }
        let name = entry[..<sign].trimmingCharacters(in: .whitespaces).lowercased()
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken), !Self.reserved.contains(name),
            value.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else { return nil }
        (self.name, self.value) = (name, Secret(value))
    }

    private static func isToken(_ unit: UInt8) -> Bool {
        (0x61...0x7a).contains(unit) || (0x30...0x39).contains(unit) || "!#$%&'*+-.^_`|~".utf8.contains(unit)
    }
}
