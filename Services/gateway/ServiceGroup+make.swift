import Persistence
import Models
import Blocking
import Delivery
import Foundation
import HTTPServing
import Hummingbird
import HummingbirdCore
import Inspection
import Logging
import Metrics
import NIOCore
import ObjectStorage
import Observability
import Secrets
import ServiceLifecycle
import ServiceRuntime
import Site
import TransparencyLog

/// Builds the service from its settings.
func makeServiceGroup(_ settings: Settings, _ telemetry: Telemetry) throws -> ServiceGroup {
    let logger = telemetry.logger
    let backbone = try Backbone(.gateway, settings: settings.common, telemetry)
    let (database, proxies, limits) = (backbone.database, settings.trustedProxies, settings.limits)
    let waiters = Waiters()
    let wake = WakeService(
        topics: TopicAccess.wakes, waiters: waiters, kafka: settings.wakeKafka, creator: backbone.topics, logger: logger)
    let buckets = TokenBuckets(database: database)
    let challenges = ChallengeRepository(database: database, outbox: backbone.outbox)
    let captures = CaptureRepository(database: database, outbox: backbone.outbox)
    let verifications = VerificationRepository(database: database)
    let links = MediaLinks(key: settings.linkKey.value)
    let inspectors = inspectorPool(settings.verification)
    let verifier = fileVerifier(settings, verifications, inspectors, buckets, logger)
    let log = PostgresLogReading(database: database)
    let finder = CheckpointFinder(log: log, policy: settings.logPolicy ?? .empty)
    let logStatus = LogStatusReader(log: log, finder: finder)
    let tiles = LogTiles(store: backbone.media)
    let objects = MediaObjectRepository(database: database)
    let downloads = ConcurrencyLimit("downloads", settings.mediaLimits, metric: "rial_media_in_progress")
    let pages = PageResponder(pages: SitePages(settings: settings.site, resources: try SiteResources.bundled()))

    var routes = Routes()
    DevicesController(
        challenges: challenges, registrations: RegistrationRepository(database: database), waiters: waiters, buckets: buckets,
        limits: limits, trustedProxies: proxies
    ).addRoutes(to: &routes)
    let authenticator = DeviceAuthenticator(devices: DeviceRepository(database: database), buckets: buckets, limits: limits)
    let rates = CaptureRates(buckets: buckets, limits: limits)
    let acceptance = CaptureAcceptance(
        upload: CaptureUpload(captures: captures, intakes: IntakeRepository(database: database), storage: backbone.storage),
        rates: rates)
    let permits = ConcurrencyLimit("uploads", settings.uploadLimits, metric: "rial_uploads_in_progress")
    let resumable = ResumableUploads(
        uploads: UploadRepository(database: database), runs: UploadRuns(), storage: backbone.storage, devices: authenticator.devices,
        acceptance: acceptance)
    let responses = UploadResponses(publicURL: settings.publicURL)
    CapturesController(
        authenticator: authenticator, captures: captures, acceptance: acceptance,
        hashOnly: HashOnlyCaptures(
            authenticator: authenticator, upload: HashOnlyUpload(captures: captures), uploads: permits, rates: rates,
            publicURL: settings.publicURL),
        resumable: ResumableCreation(authenticator: authenticator, resumable: resumable, permits: permits, responses: responses),
        uploads: permits, log: logStatus, links: links, publicURL: settings.publicURL, trustedProxies: proxies
    ).addRoutes(to: &routes)
    UploadsController(resumable: resumable, permits: permits, responses: responses, trustedProxies: proxies).addRoutes(to: &routes)
    WithdrawalController(
        authenticator: authenticator, withdrawals: WithdrawalRepository(database: database), waiters: waiters, trustedProxies: proxies
    ).addRoutes(to: &routes)
    EventsController(
        captures: captures, log: logStatus, waiters: waiters,
        streams: ConcurrencyLimit("streams", EventsController.limits, metric: "rial_event_streams_open"), trustedProxies: proxies
    ).addRoutes(to: &routes)
    MediaController(
        objects: objects, storage: backbone.media, downloads: downloads, links: links,
        publicEndpoint: settings.publicStorageEndpoint, trustedProxies: proxies
    ).addRoutes(to: &routes)
    LogController(log: log, tiles: tiles, downloads: downloads, policy: settings.logPolicy, trustedProxies: proxies).addRoutes(to: &routes)
    BundleController(
        authenticator: authenticator, captures: captures,
        maker: BundleMaker(
            log: log, finder: finder, tiles: tiles, objects: objects, policy: settings.logPolicy ?? .empty, publicURL: settings.publicURL),
        media: mediaScratch(settings.verification, beside: verifier.scratch, backbone.media), downloads: downloads,
        bundles: ConcurrencyLimit("bundles", BundleController.limits, metric: "rial_bundles_in_progress"), trustedProxies: proxies
    ).addRoutes(to: &routes)
    VerificationController(verifier: verifier, log: logStatus, publicURL: settings.publicURL, trustedProxies: proxies).addRoutes(
        to: &routes)
    HealthController(readiness: backbone.readiness).addRoutes(to: &routes)
    AssetController(resources: pages.resources).addRoutes(to: &routes)
    SiteController(
        responder: pages, captures: captures,
        records: PublicRecordReader(
            captures: captures, records: StoredRecordRepository(database: database), log: logStatus,
            links: links),
        claims: verifications, verifier: verifier, log: LogFactsRepository(database: database), trustedProxies: proxies
    ).addRoutes(to: &routes)

    let cleaner = UploadCleaner(uploads: resumable.uploads, resumable: resumable, logger: logger)
    let stops = UploadStopListener(
        listener: PostgresListener(
            url: settings.common.databaseURL.value, channels: [UploadRepository.channel], applicationName: "gateway-uploads", logger: logger
        ),
        runs: resumable.runs)
    var quiet = logger
    quiet.logLevel = .warning
    let middleware = ResponseMiddleware(routes: routes, pages: pages, isDraining: { backbone.readiness.isDraining })
    let server = Application(
        router: routes.router(behind: middleware), server: httpServer(settings),
        configuration: .init(address: .hostname(settings.host, port: settings.port), serverName: nil), logger: quiet)
    return backbone.serviceGroup(
        [
            wake, stops, server,
            PeriodicTask(name: "inspector test", every: .seconds(60), logger: logger) { await testInspector(inspectors, logger) },
            PeriodicTask(name: "challenge sweep", every: .seconds(600), logger: logger) { try await challenges.sweep() },
            PeriodicTask(name: "rate limit sweep", every: .seconds(60), logger: logger) { try await buckets.sweep() },
            PeriodicTask(name: "upload sweep", every: .seconds(600), logger: logger) { try await cleaner.clean() },
            PeriodicTask(name: "open uploads", every: .seconds(60), logger: logger) { try await cleaner.measure() },
            PeriodicTask(name: "verification log sweep", every: .seconds(3600), logger: logger) { try await verifications.sweep() },
        ], counters: [CaptureUpload.self, ResumableUploads.self], drain: settings.drain)
}

extension CaptureUpload: ShownCounters {}
extension ResumableUploads: ShownCounters {}

private func inspectorPool(_ settings: VerificationSettings) -> InspectorPool {
    InspectorPool(
        executable: settings.inspector, trustAnchorsFile: settings.trustAnchorsFile, timestampAnchorsFile: settings.timestampAnchorsFile,
        ownAnchorsFile: settings.ownAnchorsFile, concurrency: settings.concurrentInspections, waiting: settings.concurrentFiles)
}

/// Runs the inspector's self-test and reports the result as a metric and in the log.
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

private func fileVerifier(
    _ settings: Settings, _ repository: VerificationRepository, _ inspectors: InspectorPool, _ buckets: TokenBuckets, _ logger: Logger
) -> FileVerifier {
    let own = settings.verification
    return FileVerifier(
        repository: repository, inspectors: inspectors,
        intakes: ConcurrencyLimit("files", .init(total: 512, perAddress: own.filesPerAddress), metric: "rial_verification_files"),
        permits: VerificationPermits(
            own.concurrentFiles, queueLimit: 200,
            // Below the idle timeout, so that clients see the 503 and not a reset.
            timeout: .seconds(max(1, settings.idleTimeoutSeconds * 2 / 3)), metric: "rial_verifications_in_progress"),
        scratch: .init(
            folder: own.scratchFolder, quota: ScratchQuota(bytes: own.scratchShareBytes),
            executors: (0..<4).map { BlockingExecutor(label: "verification-\($0)") }),
        buckets: buckets, limits: settings.limits, logger: logger)
}

/// In the folder of the files that are verified, with a quota of its own: whoever reads bundles slowly stops no verification.
private func mediaScratch(
    _ settings: VerificationSettings, beside scratch: FileVerifier.Scratch, _ store: any ObjectStore
) -> MediaScratch {
    MediaScratch(
        store: store,
        scratch: .init(
            folder: scratch.folder, quota: ScratchQuota(bytes: settings.scratchShareBytes), executors: scratch.executors))
}

/// HTTP/1.1, over TLS if a certificate is configured. The transfer handler has the idle timeout: the server's own would also count the time in
/// which the gateway writes to the store.
private func httpServer(_ settings: Settings) -> HTTPServerBuilder {
    let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
        maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100)
    let idleTimeout = TimeAmount.seconds(Int64(settings.idleTimeoutSeconds))
    let http = HTTP1Channel.Configuration(
        additionalChannelHandlers: [TransferHandler(idleTimeout: idleTimeout), UnreadableRequestHandler()],
        httpDecoderConfiguration: decoder)
    return .serving(http, tls: settings.tls)
}
