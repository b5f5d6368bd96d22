import Foundation
import Logging
import Metrics
import ObjectStorage
import TransparencyLog

/// Writes the public log (SPEC §14 "Writing"). Of all instances one leads at a time; each turn does at most one round of the six steps.
///
/// The order of the steps is what makes it safe: a text is committed before its tiles exist, the tiles are read back before it is signed,
/// and the signature is stored before it leaves the process. So whatever is killed or set back, the next leader either finishes the same
/// tree or sees that it must not.
actor Sequencer {
    struct Limits: Sendable {
        /// Entries of a round.
        var batch = 4096
        /// The shortest time between two checkpoints.
        var checkpointSeconds: TimeInterval = 1
        /// How old cosignatures of a log without new entries may become before its checkpoint is cosigned again.
        var renewalSeconds: TimeInterval = 3600
        /// How soon witnesses that did not answer are asked again.
        var askAgainSeconds: TimeInterval = 5
    }

    let repository: any SequencerRepository
    let store: any ObjectStore
    let signer: any CheckpointSigner
    let panel: WitnessPanel
    let limits: Limits
    let now: @Sendable () -> Date
    let reached: @Sendable (SequencerPoint) async throws -> Void
    let logger: Logger
    private(set) var leadership: Leadership?
    /// The contradiction that a witness reported in the background; nothing is signed after that. It is not part of ``Leadership``, since a
    /// round works on its own copy of that.
    private var contradiction: Freeze?
    /// Whether something was found missing in the store that the next comparison restores.
    private var isDoubtful = false

    /// - Parameter reached: called between any two effects; tests throw there, or kill the process.
    init(
        repository: any SequencerRepository, store: any ObjectStore, signer: any CheckpointSigner, panel: WitnessPanel,
        limits: Limits = Limits(),
        now: @escaping @Sendable () -> Date = { Date() },
        reached: @escaping @Sendable (SequencerPoint) async throws -> Void = { $0.reached() },
        logger: Logger
    ) {
        self.repository = repository
        self.store = store
        self.signer = signer
        self.panel = panel
        self.limits = limits
        self.now = now
        self.reached = reached
        self.logger = logger
    }

    /// Whether this instance has the lock and has compared database, store and witnesses since.
    var isLeading: Bool { leadership?.isCompared ?? false }

    /// Takes the lock if it is free, then does one round if something is to be done.
    /// - Throws: errors of database, store and key; the next turn continues where this one ended.
    func turn() async throws -> SequencerTurn {
        // A contradiction comes first: stepping down forgets it.
        if isDoubtful, contradiction == nil { await stepDown() }
        do {
            if let turn = try await standingAside() { return turn }
            return try await round()
        } catch SequencerHalt.freeze(let freeze) {
            return try await self.freeze(freeze)
        } catch let error as ObjectStorageError {
            // The lock stays: nothing that was read is relied on in the next round.
            throw error
        } catch {
            await stepDown()
            throw error
        }
    }

    /// Called once a minute: reads the log again if this instance leads. If something is missing, the next turn compares everything again,
    /// as after a restart.
    func scrub(_ upkeep: LogUpkeep, at time: Date) async throws {
        guard isLeading else { return }
        do {
            try await upkeep.scrub(at: time)
        } catch SequencerHalt.lost(let detail) {
            logger.warning("something of the log is missing; the log is compared again", metadata: ["detail": "\(detail)"])
            isDoubtful = true
        }
    }

    /// Keeps the session alive, concurrently with ``turn()``.
    func beat() async { try? await leadership?.session.beat() }

    /// Asks the witnesses that have failed too often, concurrently with ``turn()``, so that they do not delay it.
    func askAside() async throws {
        guard let lead = leadership, let latest = lead.latest else { return }
        let answers = await panel.ask(latest, committedSize: lead.shard.head.size, .aside, proof: proofs(lead, to: latest.head))
        if let freeze = answers.freeze {
            if leadership?.shard.origin == lead.shard.origin { contradiction = freeze }
            return
        }
        try await keep(answers.cosignatures, of: latest, lead.shard.origin)
    }

    /// Releases the lock.
    func stepDown() async {
        let session = leadership?.session
        leadership = nil
        contradiction = nil
        isDoubtful = false
        Meter(label: "rial_log_sequencer").set(0)
        await session?.close()
    }

    /// Why there is no round; `nil` if this instance leads.
    private func standingAside() async throws -> SequencerTurn? {
        if let contradiction { throw SequencerHalt.freeze(contradiction) }
        if leadership != nil { return nil }
        guard let shard = try await repository.openShard() else { return .noShard }
        // Without the lock, so that `rial log recover` can take it.
        if let freeze = shard.freeze { return .frozen(freeze) }
        guard shard.key.publicKey == signer.publicKey else { return .foreignKey }
        guard let session = try await repository.lead() else { return .standby }
        guard let shard = try await session.openShard(), shard.freeze == nil, shard.key.publicKey == signer.publicKey else {
            await session.close()
            return .standby
        }
        let fresh = Leadership(session: session, shard: shard, objects: LogObjects(store, shard: shard.shard), newestHead: 0)
        leadership = fresh
        do {
            var lead = try await compared(fresh)
            lead.isCompared = true
            leadership = lead
        } catch let error as ObjectStorageError {
            // Not compared is not led.
            await stepDown()
            throw error
        }
        Meter(label: "rial_log_sequencer").set(1)
        logger.notice("this instance writes the log", metadata: ["origin": "\(shard.origin)", "size": "\(shard.head.size)"])
        try await reached(.led)
        return nil
    }

    /// Freezes the log, in the session with the lock: what a process saw before it was paused may be out of date. If the session is lost,
    /// the log is not frozen; the next leader compares everything again.
    private func freeze(_ freeze: Freeze) async throws -> SequencerTurn {
        guard let lead = leadership else { throw SequencerHalt.freeze(freeze) }
        do {
            try await lead.session.freeze(lead.shard, freeze, at: now())
        } catch {
            await stepDown()
            throw error
        }
        await stepDown()
        Meter(label: "rial_log_frozen").set(1)
        logger.critical(
            "the log is frozen",
            metadata: ["origin": "\(lead.shard.origin)", "reason": "\(freeze.reason.rawValue)", "detail": "\(freeze.detail)"])
        return .frozen(freeze)
    }

    private func round() async throws -> SequencerTurn {
        guard var lead = leadership else { return .standby }
        let began = ContinuousClock.now
        if !lead.isUnfinished {
            guard try await commit(&lead) else {
                return try await rest(lead)
            }
            leadership = lead
        }
        try await finish()
        Metrics.Timer(label: "rial_log_round_seconds").record(duration: began.duration(to: .now))
        guard let lead = leadership else { return .standby }
        let head = lead.shard.head
        logger.info("checkpoint published", metadata: ["size": "\(head.size)", "root": "\(head.root)"])
        try await closeIfEnded()
        return .published(head)
    }

    /// Step 1.
    /// - Returns: false if nothing was due.
    private func commit(_ lead: inout Leadership) async throws -> Bool {
        guard !(0..<limits.checkpointSeconds).contains(now().timeIntervalSince(lead.committedAt)) else { return false }
        guard let shard = try await lead.session.openShard(), shard.freeze == nil, shard.head == lead.shard.head else {
            throw SequencerHalt.lost("the shard has changed since it was compared")
        }
        lead.shard = shard
        // After the last leaf nothing is entered.
        guard shard.endIndex == nil else { return false }
        guard try await repository.standing(at: now()).pending > 0 || shard.next != nil else { return false }
        let edge = try await publishedEdge(lead).frontier
        guard
            let committed = try await lead.session.sequence(
                shard, edge: edge, limit: limits.batch, at: now(), reached: { [reached] in try await reached(.sequenced) })
        else { return false }
        lead.shard = committed
        lead.committedAt = now()
        try await reached(.committed)
        return true
    }

    /// Steps 2 to 6.
    private func finish() async throws {
        guard var lead = leadership else { return }
        try await storeTree(lead)
        try await reached(.verified)
        let published = try await sign(&lead)
        leadership = lead
        try await reached(.head)
        let answers = await panel.ask(
            published, committedSize: lead.shard.head.size, .standing(without: []), proof: proofs(lead, to: published.head))
        if let freeze = answers.freeze { throw SequencerHalt.freeze(freeze) }
        try await reached(.cosigned)
        try await lead.session.publish(
            lead.shard, note: published.note, cosignatures: answers.cosignatures, at: now(),
            reached: { [reached] in try await reached(.recorded) })
        lead.shard.publishedSize = lead.shard.head.size
        lead.latest = PublishedCheckpoint(head: published.head, note: published.note, cosignatures: answers.cosignatures)
        lead.isCheckpointStored = false
        lead.askedAt = now()
        lead.renewedAt = lead.askedAt
        leadership = lead
        try await reached(.published)
        try await storeCheckpoint()
        try await reached(.checkpoint)
        measure(lead)
    }

    /// Keeps cosignatures of a published checkpoint. If it still is the newest one, it is to be stored again with them.
    func keep(_ cosignatures: [KeptCosignature], of published: PublishedCheckpoint, _ origin: TextLine) async throws {
        guard !cosignatures.isEmpty else { return }
        try await repository.keep(cosignatures, of: published.head.size, origin)
        leadership?.add(cosignatures, to: published.head)
    }

    /// Notes that witnesses are asked about the newest checkpoint: those that are missing, or all of them.
    func noteAsked(isAll: Bool) {
        leadership?.askedAt = now()
        if isAll { leadership?.renewedAt = now() }
    }

    /// Stores the newest checkpoint with its cosignatures in place of the one that this instance saw last. A process that was paused and
    /// resumes finds another one there, and does not replace it by an older one.
    func storeCheckpoint() async throws {
        guard let lead = leadership, let latest = lead.latest, !lead.isCheckpointStored else { return }
        let etag = try await StoredCheckpoint(objects: lead.objects, shard: lead.shard).put(latest, over: lead.checkpointETag)
        guard leadership?.latest == latest else { return }
        leadership?.checkpointETag = etag
        leadership?.isCheckpointStored = true
    }

    /// Step 4: signs the committed text and stores it as a head, or takes the head that is there already.
    private func sign(_ lead: inout Leadership) async throws -> PublishedCheckpoint {
        let (shard, head) = (lead.shard, lead.shard.head)
        guard let committed = try await lead.session.checkpoint(of: head.size, shard.origin), committed.head == head,
            committed.text == shard.checkpoint.text
        else { throw SequencerHalt.freeze(.databaseDamaged, "the checkpoint of \(head.size) leaves is not the text of the committed tree") }
        // A contradiction that was reported in the background counts, too.
        if let contradiction { throw SequencerHalt.freeze(contradiction) }
        // A process that was paused may have lost its session, and a scrub may have frozen the log.
        guard try await lead.session.openShard() == shard else {
            throw SequencerHalt.lost("the shard has changed since it was committed")
        }
        let signature = NoteSignature(key: shard.key, signature: try await signer.sign(committed.text))
        guard let note = try? SignedNote(text: committed.text, signatures: [signature]), let signed = PublishedCheckpoint(note, of: shard)
        else {
            throw SigningFailure(description: "the signature does not verify with the shard's key")
        }
        try await reached(.signed)
        // From now on it may be there, whatever the store answers.
        lead.newestHead = max(lead.newestHead, head.size)
        leadership?.newestHead = lead.newestHead
        let key = lead.objects.headKey(head.size)
        guard case .differs = try await lead.objects.put(key, note.bytes) else { return signed }
        // The head stored first counts, since others may have seen it; its signature of the same text is as good.
        guard let found = try await lead.objects.fetch(key), let kept = PublishedCheckpoint(found.bytes, of: shard), kept.head == head
        else {
            throw SequencerHalt.freeze(.headDiffers, "the stored head of \(head.size) leaves differs")
        }
        return kept
    }

    func proofs(_ lead: Leadership, to head: TreeHead) -> @Sendable (UInt64) async throws -> ConsistencyProof {
        { [reader = lead.reader] size in try await reader.consistency(from: size, to: head).proof }
    }
}

struct SigningFailure: Error, CustomStringConvertible {
    let description: String
}
