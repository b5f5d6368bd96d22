import Blocking
import Delivery
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Inspection
import Logging
import Metrics
import NIOCore
import NIOSSL
import Observability
import ServiceLifecycle
import ServiceRuntime
import Site

/// Builds the service from its settings.
func makeServiceGroup(_ settings: Settings, metrics: MetricsRegistry, logger: Logger) throws -> ServiceGroup {
    let backbone = try Backbone(.gateway, settings: settings.common, metrics: metrics, logger: logger)
    let waiters = Waiters()
    let wake = WakeService(
        topics: TopicAccess.wakes, waiters: waiters, kafka: settings.wakeKafka, creator: backbone.topics, logger: logger)
    let buckets = TokenBuckets(database: backbone.database)
    let challenges = ChallengeRepository(database: backbone.database, outbox: backbone.outbox)
    let inspectors = inspectorPool(settings.verification)
    let router = try makeRouter(
        settings, backbone, inspectors, waiters: waiters, buckets: buckets, challenges: challenges)
    var quiet = logger
    quiet.logLevel = .warning
    let server = Application(
        router: router, server: try httpServer(settings),
        configuration: .init(address: .hostname(settings.host, port: settings.port), serverName: nil), logger: quiet)
    return backbone.serviceGroup([
        wake, server,
        PeriodicTask(name: "inspector test", every: .seconds(60), logger: logger) { await testInspector(inspectors, logger) },
        PeriodicTask(name: "challenge sweep", every: .seconds(600), logger: logger) { try await challenges.sweep() },
        PeriodicTask(name: "rate limit sweep", every: .seconds(60), logger: logger) { try await buckets.sweep() },
        PeriodicTask(name: "verification log sweep", every: .seconds(3600), logger: logger) {
            _ = try await backbone.database.query("DELETE FROM verification_logs WHERE asked_at < now() - interval '30 days'")
        },
    ])
}

private func makeRouter(
    _ settings: Settings, _ backbone: Backbone, _ inspectors: InspectorPool, waiters: Waiters, buckets: TokenBuckets,
    challenges: ChallengeRepository
) throws -> Router<GatewayContext> {
    let links = MediaLinks(key: settings.linkKey)
    let captures = CaptureRepository(database: backbone.database, outbox: backbone.outbox)
    let authenticator = DeviceAuthenticator(database: backbone.database, buckets: buckets, limits: settings.limits)
    let pages = PageResponder(pages: SitePages(settings: settings.site, resources: try SiteResources.bundled()))
    let routes = Router(context: GatewayContext.self, options: .autoGenerateHeadEndpoints)
    var table = RouteTable()
    let middleware = LateTable()
    routes.add(middleware: AnswerMiddleware(routes: middleware, pages: pages))
    DevicesController(
        challenges: challenges, registrations: RegistrationRepository(database: backbone.database), waiters: waiters,
        buckets: buckets, limits: settings.limits, trustedProxies: settings.trustedProxies
    ).addRoutes(to: routes, table: &table)
    CapturesController(
        authenticator: authenticator, captures: captures, intakes: IntakeRepository(database: backbone.database),
        storage: backbone.storage, uploads: Places("uploads", settings.uploadPlaces, metric: "rial_uploads_in_progress"),
        buckets: buckets, limits: settings.limits, links: links,
        publicURL: settings.publicURL, trustedProxies: settings.trustedProxies
    ).addRoutes(to: routes, table: &table)
    EventsController(
        captures: captures, waiters: waiters, slots: StreamSlots(), trustedProxies: settings.trustedProxies
    ).addRoutes(to: routes, table: &table)
    MediaController(
        database: backbone.database, storage: backbone.connections.media,
        places: Places("downloads", settings.mediaPlaces, metric: "rial_media_in_progress"), links: links,
        publicEndpoint: settings.publicStorageEndpoint, trustedProxies: settings.trustedProxies
    ).addRoutes(to: routes, table: &table)
    let verification = verificationController(settings, backbone, inspectors, buckets)
    verification.addRoutes(to: routes, table: &table)
    HealthController(readiness: backbone.readiness).addRoutes(to: routes, table: &table)
    SiteController(
        responder: pages, captures: captures,
        records: PublicRecordReader(
            captures: captures, records: StoredRecordRepository(database: backbone.database),
            links: links),
        claims: VerificationRepository(database: backbone.database), verify: verification.answer, trustedProxies: settings.trustedProxies
    ).addRoutes(to: routes, table: &table)
    middleware.set(table)
    return routes
}

private func inspectorPool(_ settings: VerificationSettings) -> InspectorPool {
    InspectorPool(
        executable: settings.inspector, trustAnchorsFile: settings.trustAnchorsFile, timestampAnchorsFile: settings.timestampAnchorsFile,
        ownAnchorsFile: settings.ownAnchorsFile, concurrency: settings.concurrentInspections, waiting: settings.concurrentFiles)
}

/// Whether strangers' files can be read at all, as a metric and in the log.
private func testInspector(_ inspectors: InspectorPool, _ logger: Logger) async {
    let gauge = Meter(label: "rial_inspector_up")
    do {
        try await inspectors.selfTest()
        gauge.set(1)
    } catch {
        gauge.set(0)
        logger.error("files cannot be inspected", metadata: ["problem": "\(error)"])
    }
}

private func verificationController(
    _ settings: Settings, _ backbone: Backbone, _ inspectors: InspectorPool, _ buckets: TokenBuckets
) -> VerificationController {
    VerificationController(
        repository: VerificationRepository(database: backbone.database), inspectors: inspectors,
        intakes: Places(
            "files", .init(total: 512, perAddress: settings.verification.filesPerAddress), metric: "rial_verification_files"),
        permits: VerificationPermits(
            settings.verification.concurrentFiles, queueLimit: 200,
            // Below the idle timeout, so that clients see the 503 and not a reset.
            timeout: .seconds(max(1, settings.idleTimeoutSeconds * 2 / 3)), metric: "rial_verifications_in_progress"),
        scratch: .init(
            folder: settings.verification.scratchFolder, room: ScratchRoom(bytes: settings.verification.scratchBytes),
            executors: (0..<4).map { BlockingExecutor(label: "verification-\($0)") }),
        buckets: buckets, limits: settings.limits, publicURL: settings.publicURL, trustedProxies: settings.trustedProxies,
        logger: backbone.logger)
}

/// HTTP/1.1, over TLS 1.3 where a certificate is given. A connection on which nothing moves is closed.
private func httpServer(_ settings: Settings) throws -> HTTPServerBuilder {
    let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
        maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100)
    let idleTimeout = TimeAmount.seconds(Int64(settings.idleTimeoutSeconds))
    let base = HTTPServerBuilder.http1(
        configuration: HTTP1Channel.Configuration(
            additionalChannelHandlers: [TransferHandler(), UnreadableRequestHandler()], idleTimeout: idleTimeout,
            httpDecoderConfiguration: decoder))
    guard let files = settings.tls else { return base }
    var tls = TLSConfiguration.makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMFile(files.certificateFile).map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: files.keyFile, format: .pem)))
    tls.minimumTLSVersion = .tlsv13
    return try .tls(base, tlsConfiguration: tls)
}
