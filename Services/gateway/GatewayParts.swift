import Blocking
import Inspection
import Logging
import Secrets
import ServiceRuntime
import Site
import TransparencyLog

/// What features of the gateway share, each thing made once.
struct GatewayParts: Sendable {
    let settings: Settings
    let backbone: Backbone
    let logger: Logger
    let waiters = Waiters()
    let pages: PageResponder

    let buckets: any TokenBuckets
    let rates: CaptureRates
    let uploadPermits: ConcurrencyLimit
    let downloads: ConcurrencyLimit

    let challenges: any ChallengeRepository
    let authenticator: DeviceAuthenticator
    let captures: any CaptureRepository
    let acceptance: CaptureAcceptance
    let uploads: PostgresUploadRepository
    let resumable: ResumableUploads
    let objects: any MediaObjectRepository
    let links: MediaLinks

    let log: any LogReading
    let finder: CheckpointFinder
    let logStatus: LogStatusReader
    let tiles: LogTiles

    let inspectors: InspectorPool
    let verifications: any VerificationRepository
    let verifier: FileVerifier
    /// In the folder of the files that are verified, with a quota of its own: whoever reads bundles slowly stops no verification.
    let bundleScratch: Scratch

    init(_ settings: Settings, _ backbone: Backbone, logger: Logger) throws {
        self.settings = settings
        self.backbone = backbone
        self.logger = logger
        pages = PageResponder(pages: SitePages(settings: settings.site, resources: try SiteResources.bundled()))
        let database = backbone.database

        buckets = PostgresTokenBuckets(database: database)
        rates = CaptureRates(buckets: buckets, limits: settings.limits)
        uploadPermits = ConcurrencyLimit("uploads", settings.uploadLimits, metric: "rial_uploads_in_progress")
        downloads = ConcurrencyLimit("downloads", settings.mediaLimits, metric: "rial_media_in_progress")

        challenges = PostgresChallengeRepository(database: database, outbox: backbone.outbox)
        authenticator = DeviceAuthenticator(
            devices: PostgresDeviceRepository(database: database), buckets: buckets, limits: settings.limits)
        captures = PostgresCaptureRepository(database: database, outbox: backbone.outbox)
        acceptance = CaptureAcceptance(
            upload: CaptureUpload(captures: captures, intakes: PostgresIntakeRepository(database: database), storage: backbone.storage),
            rates: rates)
        uploads = PostgresUploadRepository(database: database)
        resumable = ResumableUploads(
            uploads: uploads, runs: UploadRuns(), storage: backbone.storage, devices: authenticator.devices,
            acceptance: acceptance)
        objects = PostgresMediaObjectRepository(database: database)
        links = MediaLinks(key: settings.linkKey.value)

        log = PostgresLogReading(database: database)
        finder = CheckpointFinder(log: log, policy: settings.logPolicy ?? .empty)
        logStatus = LogStatusReader(log: log, finder: finder)
        tiles = LogTiles(store: backbone.media)

        inspectors = Self.inspectors(settings.verification)
        verifications = PostgresVerificationRepository(database: database)
        let executors = (0..<4).map { BlockingExecutor(label: "scratch-\($0)") }
        verifier = Self.verifier(settings, verifications, inspectors, Self.scratch(settings, executors), buckets, logger)
        bundleScratch = Self.scratch(settings, executors)
    }

    private static func inspectors(_ settings: VerificationSettings) -> InspectorPool {
        InspectorPool(
            executable: settings.inspector, trustAnchorsFile: settings.trustAnchorsFile,
            timestampAnchorsFile: settings.timestampAnchorsFile, ownAnchorsFile: settings.ownAnchorsFile,
            concurrency: settings.concurrentInspections, waiting: settings.concurrentFiles)
    }

    private static func scratch(_ settings: Settings, _ executors: [BlockingExecutor]) -> Scratch {
        let own = settings.verification
        return Scratch(folder: own.scratchFolder, quota: ScratchQuota(bytes: own.scratchShareBytes), executors: executors)
    }

    private static func verifier(
        _ settings: Settings, _ repository: any VerificationRepository, _ inspectors: InspectorPool, _ scratch: Scratch,
        _ buckets: any TokenBuckets, _ logger: Logger
    ) -> FileVerifier {
        let own = settings.verification
        return FileVerifier(
            repository: repository, inspectors: inspectors,
            intakes: ConcurrencyLimit("files", .init(total: 512, perAddress: own.filesPerAddress), metric: "rial_verification_files"),
            permits: VerificationPermits(
                own.concurrentFiles, queueLimit: 200,
                // Below the idle timeout, so that clients see the 503 and not a reset.
                timeout: .seconds(max(1, settings.idleTimeoutSeconds * 2 / 3)), metric: "rial_verifications_in_progress"),
            scratch: scratch, buckets: buckets, limits: settings.limits, logger: logger)
    }
}
