import Attestation
import Delivery
import Logging
import Models
import ServiceLifecycle
import ServiceRuntime

/// Builds the service from its settings.
func makeServiceGroup(_ settings: Settings, _ telemetry: Telemetry) throws -> ServiceGroup {
    let logger = telemetry.logger
    let backbone = try Backbone(.attestationVerifier, settings: settings.common, telemetry)
    let registrations = AppraiseRegistration(
        appraiser: AttestationAppraiser(
            roots: settings.roots, appIDs: settings.appIDs, environment: settings.appAttestEnvironment),
        receipts: ReceiptAppraiser(),
        registrations: PostgresRegistrationRepository(database: backbone.database, outbox: backbone.outbox, inbox: backbone.inbox))
    let devices = PostgresDeviceRepository(database: backbone.database, outbox: backbone.outbox)
    let work = AppraiseCapture(appraiser: CaptureAppraiser(policy: settings.policy), devices: devices, storage: backbone.storage)
    let appraisals = PostgresPartRepository.appraisals(backbone.database)
    return backbone.serviceGroup(
        [
            backbone.consume(registrations), backbone.consume(PartHandler(work, parts: appraisals)),
            backbone.consume(PartHandler(work, parts: appraisals, for: VideoReceived.self), consumers: settings.common.videoConsumers),
        ], counters: [AppraiseCapture.self]
    ) { router in
        DeviceAdministration(devices: devices, authorization: settings.authorization, logger: logger).addRoutes(to: router)
    }
}

extension AppraiseCapture: ShownCounters {}
