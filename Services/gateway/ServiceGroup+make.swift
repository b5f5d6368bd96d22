import Delivery
import HTTPServing
import Hummingbird
import HummingbirdCore
import Inspection
import Logging
import Models
import NIOCore
import Observability
import Persistence
import Secrets
import ServiceLifecycle
import ServiceRuntime

/// Builds the service from its settings.
func makeServiceGroup(_ settings: Settings, _ telemetry: Telemetry) throws -> ServiceGroup {
    let backbone = try Backbone(.gateway, settings: settings.common, telemetry)
    let parts = try GatewayParts(settings, backbone, logger: telemetry.logger)
    var routes = Routes()
    parts.addDevices(to: &routes)
    parts.addCaptures(to: &routes)
    parts.addMedia(to: &routes)
    parts.addLog(to: &routes)
    parts.addVerification(to: &routes)
    parts.addHealth(to: &routes)
    parts.addSite(to: &routes)
    // One connection listens for uploads. Each instance reads all partitions of its topics.
    return backbone.serviceGroup(
        parts.listeners + [parts.server(routes)] + parts.upkeep, counters: [CaptureUpload.self, ResumableUploads.self],
        drain: settings.drain, ownConnections: 1, sharedTopics: [])
}

extension CaptureUpload: ShownCounters {}
extension ResumableUploads: ShownCounters {}

extension GatewayParts {
    /// What wakes requests that wait here, and what ends an upload that goes on at another gateway.
    fileprivate var listeners: [any Service] {
        let wake = WakeService(
            topics: TopicAccess.wakes, waiters: waiters, kafka: settings.wakeKafka, creator: backbone.topics, logger: logger)
        let stops = UploadStopListener(
            listener: PostgresListener(
                url: settings.common.databaseURL.value, channels: [PostgresUploadRepository.channel], applicationName: "gateway-uploads",
                logger: logger),
            runs: uploads.resumable.runs)
        return [wake, stops]
    }

    fileprivate func server(_ routes: Routes) -> any Service {
        var quiet = logger
        quiet.logLevel = .warning
        let readiness = backbone.readiness
        let middleware = ResponseMiddleware(routes: routes, pages: pages, isDraining: { readiness.isDraining })
        return Application(
            router: routes.router(behind: middleware), server: httpServer(settings),
            configuration: .init(address: .hostname(settings.host, port: settings.port), serverName: nil), logger: quiet)
    }

    fileprivate var upkeep: [any Service] {
        let cleaner = UploadCleaner(uploads: uploads.repository, resumable: uploads.resumable, logger: logger)
        let inspectorTest = ProgramTest(
            metric: "rial_inspector_up", problem: "files cannot be inspected", logger: logger, verification.inspectors.selfTest)
        return [
            PeriodicTask(name: "inspector test", every: .seconds(60), logger: logger) { await inspectorTest.run() },
            PeriodicTask(name: "challenge sweep", every: .seconds(600), logger: logger) { try await devices.challenges.sweep() },
            PeriodicTask(name: "rate limit sweep", every: .seconds(60), logger: logger) { try await buckets.sweep() },
            PeriodicTask(name: "upload sweep", every: .seconds(600), logger: logger) { try await cleaner.clean() },
            PeriodicTask(name: "open uploads", every: .seconds(60), logger: logger) { try await cleaner.measure() },
            PeriodicTask(name: "verification log sweep", every: .seconds(3600), logger: logger) {
                try await verification.repository.sweep()
            },
        ]
    }
}

/// HTTP/1.1, over TLS if a certificate is configured. The transfer handler has the idle timeout: the server's own would also count the time
/// in which the gateway writes to the store.
private func httpServer(_ settings: Settings) -> HTTPServerBuilder {
    let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
        maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100)
    let idleTimeout = TimeAmount.seconds(Int64(settings.idleTimeoutSeconds))
    let http = HTTP1Channel.Configuration(
        additionalChannelHandlers: [TransferHandler(idleTimeout: idleTimeout), UnreadableRequestHandler()],
        httpDecoderConfiguration: decoder)
    return .serving(http, tls: settings.tls)
}
