import CaptureProtocol
import Logging
import ObjectStorage
import TransparencyLog

/// The first step of the instance that takes the lock: it compares database, store and witnesses, so that one that was reset to an earlier
/// state is noticed before anything is signed.
extension Sequencer {
    /// - Returns: the leadership, with what was compared.
    /// - Throws: ``SequencerHalt`` with the reason to freeze.
    func compared(_ fresh: Leadership) async throws -> Leadership {
        var lead = fresh
        lead.latest = try await published(lead)
        try await compareCheckpoint(&lead)
        try await compareHead(&lead)
        try await restoreIfMissing(lead)
        try await compareRows(lead)
        guard let latest = lead.latest else { return lead }
        let answers = await panel.learn(latest, committedSize: lead.shard.head.size)
        if let freeze = answers.freeze { throw SequencerHalt.freeze(freeze) }
        try await keep(answers.cosignatures, of: latest, lead.shard.origin)
        lead.add(answers.cosignatures, to: latest.head)
        return lead
    }

    /// The published checkpoint as the database has it.
    private func published(_ lead: Leadership) async throws -> PublishedCheckpoint? {
        let (shard, size) = (lead.shard, lead.shard.publishedSize)
        guard size > 0 else { return nil }
        guard let stored = try await lead.session.checkpoint(of: size, shard.origin), stored.head.size == size,
            var published = stored.signed(by: shard)
        else { throw SequencerHalt.freeze(.databaseDamaged, "the published checkpoint of \(size) leaves is not in the database") }
        published.add(try await repository.cosignatures(of: size, shard.origin))
        return published
    }

    private func compareCheckpoint(_ lead: inout Leadership) async throws {
        guard let found = try await lead.objects.fetch(lead.objects.checkpointKey) else { return }
        lead.checkpointETag = found.etag
        if let latest = lead.latest { lead.isCheckpointStored = try found.bytes == latest.served().bytes }
        // A checkpoint that this log has not signed proves nothing; it is overwritten.
        guard let stored = PublishedCheckpoint(found.bytes, of: lead.shard) else { return }
        try compare(stored, "checkpoint", lead)
    }

    private func compareHead(_ lead: inout Leadership) async throws {
        if let (size, bytes) = try await lead.objects.newestHead() {
            lead.newestHead = size
            guard let head = PublishedCheckpoint(bytes, of: lead.shard), head.head.size == size else {
                throw SequencerHalt.freeze(.headDiffers, "the newest head, of \(size) leaves, is not a checkpoint of this log")
            }
            try compare(head, "head", lead)
            if size > lead.shard.publishedSize {
                let committed = try await lead.session.checkpoint(of: size, lead.shard.origin)
                guard committed?.head == head.head else {
                    throw SequencerHalt.freeze(.headDiffers, "the newest head, of \(size) leaves, is not the committed checkpoint")
                }
            }
        }
        // The store was set back.
        guard let latest = lead.latest, lead.newestHead < latest.head.size else { return }
        lead.newestHead = latest.head.size
        if case .differs = try await lead.objects.put(lead.objects.headKey(latest.head.size), latest.note.bytes) {
            throw SequencerHalt.freeze(.headDiffers, "the stored head of \(latest.head.size) leaves differs")
        }
    }

    /// Compares a checkpoint that this log has signed with the database.
    private func compare(_ signed: PublishedCheckpoint, _ what: String, _ lead: Leadership) throws {
        if signed.head.size > lead.shard.head.size {
            throw SequencerHalt.freeze(
                .databaseBehind, "the store has a \(what) of \(signed.head.size) leaves, the database \(lead.shard.head.size)")
        }
        if let latest = lead.latest, signed.head.size == latest.head.size, signed.head.root != latest.head.root {
            throw SequencerHalt.freeze(.forked, "two trees of \(latest.head.size) leaves were signed")
        }
    }

    /// Restores what is missing in the store from the rows, if the store was reset to an earlier state or lost.
    private func restoreIfMissing(_ lead: Leadership) async throws {
        guard let latest = lead.latest else { return }
        do {
            _ = try await lead.reader.edge(size: latest.head.size)
            let last = Tile.entries(of: latest.head.size - 1, size: latest.head.size)
            if let last, try await lead.objects.entries(of: last) == nil { throw TreeReader.MissingTile(tile: last) }
        } catch let missing as TreeReader.MissingTile {
            logger.warning("the store was set back; it is restored", metadata: ["tile": "\(missing.tile)", "size": "\(latest.head.size)"])
            try await TreeRestorer(objects: lead.objects, leaves: { try await lead.session.leaves($0, of: lead.shard.origin) })
                .restore(latest.head, newestHead: lead.newestHead)
            LogScrub.countMending()
        }
    }

    /// Compares the committed root with the one computed from the tiles' right edge and the rows after it.
    private func compareRows(_ lead: Leadership) async throws {
        _ = try await firstGrowth(lead, from: try await publishedEdge(lead))
        let size = lead.shard.head.size
        guard try await lead.session.leaves(size..<size + 1, of: lead.shard.origin).isEmpty else {
            throw SequencerHalt.freeze(.databaseDamaged, "there are rows beyond the committed \(size) leaves")
        }
    }
}
