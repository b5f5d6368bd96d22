import ContentCredentials
import Delivery
import Evidence
import Foundation
import Logging
import Models
import ServiceLifecycle
import ServiceRuntime
import Signing

/// Builds the service from its settings.
func makeServiceGroup(_ settings: Settings, _ telemetry: Telemetry) throws -> ServiceGroup {
    let logger = telemetry.logger
    let cities = CityNames.bundled()
    let signer = try settings.signer.signer(at: Date())
    let certificate = try SigningCertificate(pem: settings.signer.certificates)
    let probe = SignerProbe(signer: signer, certificate: certificate)
    let backbone = try Backbone(
        .evidenceAssembler, settings: settings.common, telemetry, probes: [("signer", { await probe.isSound(at: Date()) })])
    let writer = try CredentialWriter(signer: signer, timestampAuthority: settings.signer.timestampAuthority)
    let circuits = SigningCircuits()
    func issuer() -> CredentialIssuer {
        CredentialIssuer(
            writer: writer, certificate: certificate, storage: backbone.storage, scratchFolder: settings.scratchFolder, circuits: circuits,
            logger: logger)
    }
    let credentials = CredentialIssuers(photos: issuer(), videos: issuer())
    let cards = try ShareCardMaker(storage: backbone.storage, logger: logger)
    let assembly = CaptureAssembly(
        captures: PostgresAssemblyRepository(database: backbone.database, outbox: backbone.outbox, inbox: backbone.inbox),
        storage: backbone.storage, credentials: credentials, cards: cards, cities: cities, scratchFolder: settings.scratchFolder)
    let reassessment = CaptureReassessment(
        captures: PostgresReassessmentRepository(database: backbone.database, outbox: backbone.outbox), storage: backbone.storage,
        cards: cards, cities: cities, scratchFolder: settings.scratchFolder, logger: logger)
    let statements = PostgresStatementRepository(database: backbone.database, outbox: backbone.outbox, inbox: backbone.inbox)
    let revision = DeviceRevision(statements: statements, logger: logger)
    let watch = CertificateWatch(
        certificate: certificate, isKeyInFile: settings.signer.key.isInFile, mode: settings.common.mode, logger: logger)
    watch.warnOfKey()
    let services: [any Service] = [
        backbone.consume(AssembleEvidence<AttestationAppraised, PostgresAssemblyRepository>(assembly: assembly)),
        backbone.consume(AssembleEvidence<DepthAnalyzed, PostgresAssemblyRepository>(assembly: assembly)),
        backbone.consume(AssembleEvidence<MediaSynced, PostgresAssemblyRepository>(assembly: assembly)),
        backbone.consume(NoteLogged(statements: statements)), backbone.consume(ReviseDevice(revision: revision)),
        PeriodicTask(name: "reassessments", every: .seconds(5), logger: logger) { try await reassessment.run() },
        PeriodicTask(name: "certificate watch", every: .seconds(60), logger: logger) { watch.look(at: Date()) },
    ]
    return backbone.serviceGroup(
        services + makeUpkeep(of: assembly, revision, on: backbone, logger), counters: [CaptureFailures.self])
}

/// The services that look for what was left undone.
private func makeUpkeep(
    of assembly: CaptureAssembly<PostgresAssemblyRepository>, _ revision: DeviceRevision, on backbone: Backbone, _ logger: Logger
) -> [any Service] {
    func ledger(_ task: String) -> PostgresTaskLedger { PostgresTaskLedger(.evidenceAssembler, task: task, database: backbone.database) }
    let issued = PostgresCredentialRepository(database: backbone.database, outbox: backbone.outbox)
    let waiting = WaitingCredentials(
        captures: issued, storage: backbone.storage, credentials: assembly.credentials, ledger: ledger("waiting credentials"),
        scratchFolder: assembly.scratchFolder, logger: logger)
    let unsigned = UnsignedCaptures(assembly: assembly, ledger: ledger("unsigned captures"), logger: logger)
    let digests = CredentialDigests(credentials: issued, storage: backbone.storage, logger: logger)
    let sizes = PictureSizes(
        pictures: PostgresPictureRepository(database: backbone.database), storage: backbone.storage, logger: logger)
    let unstated = UnstatedCaptures(statements: revision.statements, logger: logger)
    let logged = LoggedStatements(statements: revision.statements)
    let revised = RevisedDevices(revision: revision)
    return [
        PeriodicTask(name: "waiting credentials", every: .seconds(5), logger: logger) { try await waiting.retry() },
        PeriodicTask(name: "unsigned captures", every: .seconds(5), logger: logger) { try await unsigned.retry() },
        PeriodicTask(name: "credential digests", every: .seconds(600), logger: logger) { try await digests.fill() },
        PeriodicTask(name: "picture sizes", every: .seconds(600), logger: logger) { try await sizes.fill() },
        PeriodicTask(name: "unstated captures", every: .seconds(600), logger: logger) { try await unstated.state() },
        PeriodicTask(name: "logged statements", every: .seconds(60), logger: logger) { try await logged.note() },
        PeriodicTask(name: "revised devices", every: .seconds(60), logger: logger) { try await revised.look() },
    ]
}

extension CaptureFailures: ShownCounters {}
