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
    let captures: any CaptureRepository

    let devices: Devices
    let uploads: Uploads
    let media: Media
    let log: PublicLog
    let verification: Verification

    init(_ settings: Settings, _ backbone: Backbone, logger: Logger) throws {
        self.settings = settings
        self.backbone = backbone
        self.logger = logger
        pages = PageResponder(pages: SitePages(settings: settings.site, resources: try SiteResources.bundled()))
        buckets = PostgresTokenBuckets(database: backbone.database)
        captures = PostgresCaptureRepository(database: backbone.database, outbox: backbone.outbox)

        devices = Devices(settings, backbone, buckets)
        uploads = Uploads(settings, backbone, buckets, captures, devices)
        media = Media(settings, backbone)
        log = PublicLog(settings, backbone)
        verification = Verification(settings, backbone, buckets, logger)
    }
}

extension GatewayParts {
    /// Which device a request is from.
    struct Devices: Sendable {
        let challenges: any ChallengeRepository
        let authenticator: DeviceAuthenticator

        fileprivate init(_ settings: Settings, _ backbone: Backbone, _ buckets: any TokenBuckets) {
            challenges = PostgresChallengeRepository(database: backbone.database, outbox: backbone.outbox)
            authenticator = DeviceAuthenticator(
                devices: PostgresDeviceRepository(database: backbone.database), buckets: buckets, limits: settings.limits)
        }
    }

    /// How captures are taken, at once and in parts, and how many.
    struct Uploads: Sendable {
        let rates: CaptureRates
        let permits: ConcurrencyLimit
        let acceptance: CaptureAcceptance
        let repository: PostgresUploadRepository
        let resumable: ResumableUploads

        fileprivate init(
            _ settings: Settings, _ backbone: Backbone, _ buckets: any TokenBuckets, _ captures: any CaptureRepository, _ devices: Devices
        ) {
            rates = CaptureRates(buckets: buckets, limits: settings.limits)
            permits = ConcurrencyLimit("uploads", settings.uploadLimits, metric: "rial_uploads_in_progress")
            acceptance = CaptureAcceptance(
                upload: CaptureUpload(
                    captures: captures, intakes: PostgresIntakeRepository(database: backbone.database), storage: backbone.storage),
                rates: rates)
            repository = PostgresUploadRepository(database: backbone.database)
            resumable = ResumableUploads(
                uploads: repository, runs: UploadRuns(), storage: backbone.storage, devices: devices.authenticator.devices,
                acceptance: acceptance)
        }
    }

    /// Which stored media are given out, to whom, and how many at once.
    struct Media: Sendable {
        let objects: any MediaObjectRepository
        let links: MediaLinks
        let downloads: ConcurrencyLimit

        fileprivate init(_ settings: Settings, _ backbone: Backbone) {
            objects = PostgresMediaObjectRepository(database: backbone.database)
            links = MediaLinks(key: settings.linkKey.value)
            downloads = ConcurrencyLimit("downloads", settings.mediaLimits, metric: "rial_media_in_progress")
        }
    }

    /// What is read of the public log.
    struct PublicLog: Sendable {
        let reading: any LogReading
        let finder: CheckpointFinder
        let status: LogStatusReader
        let tiles: LogTiles

        fileprivate init(_ settings: Settings, _ backbone: Backbone) {
            reading = PostgresLogReading(database: backbone.database)
            finder = CheckpointFinder(log: reading, policy: settings.logPolicy ?? .empty)
            status = LogStatusReader(log: reading, finder: finder)
            tiles = LogTiles(store: backbone.media)
        }
    }

    /// What files are verified with, and the room on disk for that.
    struct Verification: Sendable {
        let inspectors: InspectorPool
        let repository: any VerificationRepository
        let verifier: FileVerifier
        /// In the folder of the files that are verified, with a quota of its own: whoever reads bundles slowly stops no verification.
        let bundleScratch: Scratch

        fileprivate init(_ settings: Settings, _ backbone: Backbone, _ buckets: any TokenBuckets, _ logger: Logger) {
            let own = settings.verification
            inspectors = InspectorPool(
                executable: own.inspector, trustAnchorsFile: own.trustAnchorsFile, timestampAnchorsFile: own.timestampAnchorsFile,
                ownAnchorsFile: own.ownAnchorsFile, concurrency: own.concurrentInspections, waiting: own.concurrentFiles)
            repository = PostgresVerificationRepository(database: backbone.database)
            let executors = (0..<4).map { BlockingExecutor(label: "scratch-\($0)") }
            verifier = FileVerifier(
                repository: repository, inspectors: inspectors,
                intakes: ConcurrencyLimit("files", .init(total: 512, perAddress: own.filesPerAddress), metric: "rial_verification_files"),
                permits: VerificationPermits(
                    own.concurrentFiles, queueLimit: 200,
                    // Below the idle timeout, so that clients see the 503 and not a reset.
                    timeout: .seconds(max(1, settings.idleTimeoutSeconds * 2 / 3)), metric: "rial_verifications_in_progress"),
                scratch: Self.scratch(own, executors), buckets: buckets, limits: settings.limits, logger: logger)
            bundleScratch = Self.scratch(own, executors)
        }

        private static func scratch(_ settings: VerificationSettings, _ executors: [BlockingExecutor]) -> Scratch {
            Scratch(folder: settings.scratchFolder, quota: ScratchQuota(bytes: settings.scratchShareBytes), executors: executors)
        }
    }
}
