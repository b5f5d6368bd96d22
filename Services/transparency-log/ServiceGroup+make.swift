import CaptureProtocol
import Delivery
import Foundation
import Logging
import Models
import Secrets
import ServiceLifecycle
import ServiceRuntime
import TransparencyLog

/// Builds the service from its settings.
func makeServiceGroup(_ settings: Settings, _ telemetry: Telemetry) throws -> ServiceGroup {
    let logger = telemetry.logger
    let signer = BlockingCheckpointSigner(key: try settings.key.signer())
    let witnesses = HTTPClientService(outwardTimeout: settings.witnessTimeout)
    if settings.policy == nil { logger.warning("no policy is set: no witness is asked, and anyone may doubt the log") }
    let policy = settings.policy ?? .empty
    let connections = policy.witnesses.compactMap { witness in
        let connection = HTTPWitness(witness, client: witnesses.client, timeout: settings.witnessTimeout)
        if connection == nil { logger.warning("the policy does not say where a witness is", metadata: ["witness": "\(witness.key.name)"]) }
        return connection
    }
    let frozen = FreezeWatch()
    let backbone = try Backbone(
        .transparencyLog, settings: settings.common, telemetry, probes: [("log", { frozen.isSound })])
    let repository = PostgresLogRepository(
        database: backbone.database, url: settings.common.databaseURL.value, outbox: backbone.outbox)
    let panel = WitnessPanel(
        policy: policy, connections: connections, timeout: settings.witnessTimeout, now: { Date() }, logger: logger)
    let sequencer = Sequencer(
        repository: repository, store: backbone.storage, signer: signer, panel: panel,
        limits: Sequencer.Limits(checkpointSeconds: TimeInterval(settings.checkpointSeconds)), logger: logger)
    let statements = LogStatements(
        pending: PostgresPendingRepository(database: backbone.database, inbox: backbone.inbox), logger: logger)
    let upkeep = LogUpkeep(
        repository: repository, store: backbone.storage, scrubDays: settings.scrubDays, isStamping: settings.timestamps != nil,
        logger: logger)
    let stamping = settings.timestamps.map { makeStamping($0, of: repository, panel, by: sequencer, logger) } ?? []
    return backbone.serviceGroup(
        [
            witnesses,
            backbone.consume(statements),
            SequencerService(sequencer: sequencer, repository: repository, policy: settings.policy, logger: logger),
            PeriodicTask(name: "look through statements", every: .seconds(60), logger: logger) { try await statements.lookThrough() },
            PeriodicTask(name: "measure the log", every: .seconds(1), logger: logger) {
                frozen.note(try await upkeep.measure(at: Date()))
                await panel.measure()
            },
            PeriodicTask(name: "read the log again", every: .seconds(60), logger: logger) {
                try await sequencer.scrub(upkeep, at: Date())
            },
            PeriodicTask(name: "sweep the log", every: .seconds(600), logger: logger) {
                if await sequencer.isLeading { try await upkeep.sweep(at: Date()) }
            },
        ] + stamping, counters: [LogScrub.self], ownConnections: 1)
}

/// The services that get time stamps for checkpoints, where this instance leads.
private func makeStamping(
    _ timestamps: TimestampSettings, of repository: PostgresLogRepository, _ panel: WitnessPanel, by sequencer: Sequencer, _ logger: Logger
) -> [any Service] {
    let client = HTTPClientService(outwardTimeout: .seconds(20))
    let stamper = CheckpointStamper(
        repository: repository, panel: panel,
        authority: HTTPTimestampAuthority(address: timestamps.authority, client: client.client), anchors: timestamps.anchors,
        interval: timestamps.interval, nonce: { .random(16) }, logger: logger)
    return [
        client,
        PeriodicTask(name: "stamp checkpoints", every: .seconds(10), logger: logger) {
            if await sequencer.isLeading { try await stamper.stamp(at: Date()) }
        },
    ]
}

extension LogScrub: ShownCounters {}
