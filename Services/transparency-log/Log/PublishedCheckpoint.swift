import TransparencyLog

/// A checkpoint of this log that is signed and stored, so that it may be published.
struct PublishedCheckpoint: Sendable, Equatable {
    let head: TreeHead
    /// As the log alone signed it.
    let note: SignedNote
    /// The newest of each witness.
    var cosignatures: [KeptCosignature]

    init(head: TreeHead, note: SignedNote, cosignatures: [KeptCosignature] = []) {
        self.head = head
        self.note = note
        self.cosignatures = cosignatures
    }

    /// What is served.
    func served() throws -> SignedNote { try note.adding(cosignatures.map(\.signature)) }

    /// Takes newer cosignatures, each in the place of the same key's older one.
    mutating func add(_ newer: [KeptCosignature]) {
        let keys = newer.map { ($0.signature.name, $0.signature.id) }
        cosignatures.removeAll { old in keys.contains { $0.0 == old.signature.name && $0.1 == old.signature.id } }
        cosignatures += newer
    }

    /// Reads a note that only we can have made.
    /// - Returns: `nil` unless it is a checkpoint of this log, signed by its key.
    init?(_ note: SignedNote, of shard: LogShard) {
        guard let own = note.reduced(to: [shard.key]), let signatures = try? own.verified(by: [shard.key]), !signatures.isEmpty,
            let checkpoint = try? Checkpoint(text: note.text), checkpoint.origin == shard.origin, checkpoint.extensions.isEmpty
        else { return nil }
        self.init(head: checkpoint.head, note: own)
    }

    init?(_ bytes: [UInt8], of shard: LogShard) {
        guard let note = try? SignedNote(bytes) else { return nil }
        self.init(note, of: shard)
    }
}
