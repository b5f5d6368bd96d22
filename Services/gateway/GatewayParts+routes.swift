import ServiceRuntime
import TransparencyLog

/// The routes of each feature.
extension GatewayParts {
    private var proxies: [AddressRange] { settings.trustedProxies }

    func addDevices(to routes: inout Routes) {
        DevicesController(
            challenges: devices.challenges, registrations: PostgresRegistrationRepository(database: backbone.database), waiters: waiters,
            buckets: buckets, limits: settings.limits, trustedProxies: proxies
        ).addRoutes(to: &routes)
    }

    /// Captures at once and in parts, their withdrawal, and their events.
    func addCaptures(to routes: inout Routes) {
        let authenticator = devices.authenticator
        let responses = UploadResponses(publicURL: settings.publicURL)
        CapturesController(
            authenticator: authenticator, captures: captures, acceptance: uploads.acceptance,
            hashOnly: HashOnlyCaptures(
                authenticator: authenticator, upload: HashOnlyUpload(captures: captures), uploads: uploads.permits, rates: uploads.rates,
                publicURL: settings.publicURL),
            resumable: ResumableCreation(
                authenticator: authenticator, resumable: uploads.resumable, permits: uploads.permits, responses: responses),
            uploads: uploads.permits, log: log.status, links: media.links, publicURL: settings.publicURL, trustedProxies: proxies
        ).addRoutes(to: &routes)
        UploadsController(resumable: uploads.resumable, permits: uploads.permits, responses: responses, trustedProxies: proxies)
            .addRoutes(to: &routes)
        WithdrawalController(
            authenticator: authenticator, withdrawals: PostgresWithdrawalRepository(database: backbone.database), waiters: waiters,
            trustedProxies: proxies
        ).addRoutes(to: &routes)
        EventsController(
            captures: captures, log: log.status, waiters: waiters,
            streams: ConcurrencyLimit("streams", EventsController.limits, metric: "rial_event_streams_open"), trustedProxies: proxies
        ).addRoutes(to: &routes)
    }

    func addMedia(to routes: inout Routes) {
        MediaController(
            objects: media.objects, storage: backbone.media, downloads: media.downloads, links: media.links,
            publicEndpoint: settings.publicStorageEndpoint, trustedProxies: proxies
        ).addRoutes(to: &routes)
    }

    /// The public log, and the bundles that prove what is in it.
    func addLog(to routes: inout Routes) {
        LogController(
            log: log.reading, tiles: log.tiles, downloads: media.downloads, policy: settings.logPolicy, trustedProxies: proxies
        ).addRoutes(to: &routes)
        BundleController(
            authenticator: devices.authenticator, captures: captures,
            maker: BundleMaker(
                log: log.reading, finder: log.finder, tiles: log.tiles, objects: media.objects, policy: settings.logPolicy ?? .empty,
                publicURL: settings.publicURL),
            media: MediaScratch(store: backbone.media, scratch: verification.bundleScratch), downloads: media.downloads,
            bundles: ConcurrencyLimit("bundles", BundleController.limits, metric: "rial_bundles_in_progress"), trustedProxies: proxies
        ).addRoutes(to: &routes)
    }

    func addVerification(to routes: inout Routes) {
        VerificationController(verifier: verification.verifier, log: log.status, publicURL: settings.publicURL, trustedProxies: proxies)
            .addRoutes(to: &routes)
    }

    func addHealth(to routes: inout Routes) {
        HealthController(readiness: backbone.readiness).addRoutes(to: &routes)
    }

    func addSite(to routes: inout Routes) {
        AssetController(resources: pages.resources).addRoutes(to: &routes)
        SiteController(
            responder: pages, captures: captures,
            records: PublicRecordReader(
                captures: captures, records: PostgresStoredRecordRepository(database: backbone.database), log: log.status,
                links: media.links),
            claims: verification.repository, verifier: verification.verifier,
            log: PostgresLogFactsReading(database: backbone.database), trustedProxies: proxies
        ).addRoutes(to: &routes)
    }
}
