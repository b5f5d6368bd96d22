import AsyncHTTPClient
import CSandbox
import CaptureProtocol
import Foundation
public import Logging
import Metrics
public import Models
import NIOCore
import NIOHTTP1
import Observability
public import ServiceLifecycle

/// The environment variables of one service, read once at start.
public protocol EnvironmentSettings: Sendable {
    /// Those that every service reads.
    var common: ServiceSettings { get }

    /// - Throws: ``SettingsError``.
    init(_ environment: ServiceEnvironment) throws
}

/// What tells operators of the process: its logs, its metrics and, if they are exported, its spans.
public struct Telemetry: Sendable {
    public let logger: Logger
    let metrics: MetricsRegistry
    /// `nil` if they go nowhere.
    let spans: SpanQueue?
}

/// The entry point of every service: sets up logs, metrics and spans, then runs the services that `make` builds, or the `healthcheck`
/// command.
public enum ServiceMain {
    /// - Parameter make: makes the services from the settings. A ``SettingsError`` ends the process with code 78 (`EX_CONFIG`).
    public static func run<Settings: EnvironmentSettings>(
        _ service: ServiceName, _ make: @Sendable (Settings, Telemetry) throws -> ServiceGroup
    ) async throws {
        boundArenas()
        let environment = ServiceEnvironment()
        if CommandLine.arguments.dropFirst().first == "healthcheck" { exit(await isHealthy(environment) ? 0 : 1) }
        let given = Result { try environment.logLevel() }
        let level = (try? given.get()) ?? .info
        LoggingSystem.bootstrap { _ in JSONLogHandler(label: service.rawValue, level: level) }
        let registry = MetricsRegistry()
        MetricsSystem.bootstrap(registry)
        let revision = (try? environment.optional("RIAL_REVISION")).flatMap(\.self) ?? ""
        Meter(label: "rial_build_info", dimensions: [("version", Product.version), ("revision", revision)]).set(1)
        let logger = Logger(label: service.rawValue)
        // A write to a closed connection must fail and not end the process.
        signal(SIGPIPE, SIG_IGN)
        do {
            _ = try given.get()
            let settings = try Settings(environment)
            if let folder = settings.common.failPoints { FailPoint.arm(folder: folder) }
            let spans = settings.common.tracing.map(collectSpans)
            try await make(settings, Telemetry(logger: logger, metrics: registry, spans: spans)).run()
        } catch let error as SettingsError {
            logger.critical("cannot start: \(error)")
            exit(78)
        }
    }

    /// From here on, this process makes spans.
    /// - Returns: where they are until they are exported.
    private static func collectSpans(_ settings: TracingSettings) -> SpanQueue {
        let queue = SpanQueue()
        TraceContext.sample(settings.ratio)
        Spans.collect(in: queue)
        return queue
    }

    /// glibc gives threads up to eight arenas a processor, and each keeps what the photos in it once needed: `evidence-assembler` grew to
    /// more than twice the memory that it has with one arena a processor, at the same speed.
    private static func boundArenas() { rial_bound_arenas(Int32(clamping: max(2, ProcessInfo.processInfo.activeProcessorCount))) }

    /// Asks the service's own admin port whether it is ready. For container health checks, as images contain no other client.
    private static func isHealthy(_ environment: ServiceEnvironment) async -> Bool {
        guard let port = try? environment.integer("RIAL_ADMIN_PORT", in: 1...65535) else { return false }
        let request = HTTPClientRequest(url: "http://\(ownHost(environment)):\(port)/readyz")
        let response = try? await HTTPClient.shared.execute(request, timeout: .seconds(5))
        return response?.status == .ok
    }

    /// Where the admin port is reached from the same host, as part of a URL.
    static func ownHost(_ environment: ServiceEnvironment) -> String {
        switch (try? environment.optional("RIAL_ADMIN_HOST")) ?? "" {
        case "", "0.0.0.0": "127.0.0.1"
        case "::": "[::1]"
        case let host where host.contains(":"): "[\(host)]"
        case let host: host
        }
    }
}
