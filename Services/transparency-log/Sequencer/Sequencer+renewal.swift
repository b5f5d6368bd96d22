import Foundation
import Logging
import Metrics
import TransparencyLog

/// What is done about the newest checkpoint when nothing is due, and after the last one of a shard.
extension Sequencer {
    /// Nothing is due: witnesses that are missing are asked again, and all of them once an hour.
    func rest(_ lead: Leadership) async throws -> SequencerTurn {
        guard let latest = lead.latest else { return .idle }
        let cosigners = panel.cosigners(latest)
        let newest = latest.cosignatures.map(\.seconds).max() ?? 0
        // These two are over if they lie ahead: the clock was set back, and nobody waits until it is there again.
        let isAsked = (0..<limits.askAgainSeconds).contains(now().timeIntervalSince(lead.askedAt))
        let isRenewed = (0..<limits.renewalSeconds).contains(now().timeIntervalSince(lead.renewedAt))
        // `isAsked` does not count here: missing witnesses are asked often, and the others' cosignatures must be renewed all the same.
        let isOld = !isRenewed && now().timeIntervalSince1970 - Double(newest) >= limits.renewalSeconds
        let isMissing = !isAsked && cosigners.count < panel.policy.witnesses.count
        if isOld || isMissing {
            noteAsked(isAll: isOld)
            let answers = await panel.ask(
                latest, committedSize: lead.shard.head.size, .standing(without: isOld ? [] : cosigners),
                proof: proofs(lead, to: latest.head))
            if let freeze = answers.freeze { throw SequencerHalt.freeze(freeze) }
            try await keep(answers.cosignatures, of: latest, lead.shard.origin)
        }
        try await storeCheckpoint()
        if let lead = leadership { measure(lead) }
        try await closeIfEnded()
        return .idle
    }

    /// Closes a shard whose last leaf is published, and steps down: nobody asks witnesses about a closed one, and only the scrub puts its
    /// checkpoint again, so the final one has a quorum and is stored by then.
    func closeIfEnded() async throws {
        guard let lead = leadership, let latest = lead.latest, lead.shard.endIndex != nil, !lead.isUnfinished, lead.isCheckpointStored,
            panel.standing(latest) != .missing
        else { return }
        try await lead.session.end(lead.shard, at: now())
        logger.notice("the shard is closed", metadata: ["origin": "\(lead.shard.origin)", "size": "\(latest.head.size)"])
        await stepDown()
    }

    func measure(_ lead: Leadership) {
        guard let latest = lead.latest else { return }
        Meter(label: "rial_log_quorum").set(panel.standing(latest) == .missing ? 0 : 1)
    }
}
