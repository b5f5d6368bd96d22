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
    let policy = try settings.policy ?? TrustPolicy(Array("quorum none\n".utf8))
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
    let pending = PostgresPendingRepository(database: backbone.database, inbox: backbone.inbox)
    let upkeep = LogUpkeep(
        repository: repository, store: backbone.storage, scrubDays: settings.scrubDays, isStamping: settings.timestamps != nil,
        logger: logger)
    var stamping: [any Service] = []
    if let timestamps = settings.timestamps {
        let client = HTTPClientService(outwardTimeout: .seconds(20))
        stamping.append(client)
        let stamper = CheckpointStamper(
            repository: repository, panel: panel,
            authority: HTTPTimestampAuthority(address: timestamps.authority, client: client.client), anchors: timestamps.anchors,
            interval: timestamps.interval, nonce: { (0..<16).map { _ in UInt8.random(in: 0...255) } }, logger: logger)
        stamping.append(
            PeriodicTask(name: "stamp checkpoints", every: .seconds(10), logger: logger) {
                if await sequencer.isLeading { try await stamper.stamp(at: Date()) }
            })
    }
    return backbone.serviceGroup(
        [
            witnesses,
            backbone.consume(LogStatements(pending: pending)),
            SequencerService(sequencer: sequencer, repository: repository, policy: settings.policy, logger: logger),
            PeriodicTask(name: "look through statements", every: .seconds(60), logger: logger) {
                let found = try await pending.lookThrough()
                if found > 0 { logger.notice("statements that no event announced wait for the log", metadata: ["count": "\(found)"]) }
            },
            PeriodicTask(name: "measure the log", every: .seconds(1), logger: logger) {
                frozen.note(try await upkeep.measure(at: Date()))
                await panel.measure()
            },
            PeriodicTask(name: "read the log again", every: .seconds(60), logger: logger) {
                guard await sequencer.isLeading else { return }
                do {
                    try await upkeep.scrub(at: Date())
                } catch SequencerHalt.lost(let detail) {
                    logger.warning("something of the log is missing; the log is compared again", metadata: ["detail": "\(detail)"])
                    await sequencer.doubt()
                }
            },
            PeriodicTask(name: "sweep the log", every: .seconds(600), logger: logger) {
                if await sequencer.isLeading { try await upkeep.sweep(at: Date()) }
            },
        ] + stamping, counters: [LogScrub.self])
}

extension LogScrub: ShownCounters {}
