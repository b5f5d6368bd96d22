import TransparencyLog

/// A log as the database has it.
struct LogShard: Sendable, Equatable {
    let origin: TextLine
    /// `[a-z0-9-]{1,32}`; the log's folder in the store.
    let shard: String
    let key: VerifierKey
    /// The committed tree: more than the published one while a round is under way.
    var head: TreeHead
    var publishedSize: UInt64
    /// Set once the shard is to be closed.
    var next: VerifierKey?
    /// The index of the last leaf, once it is there. The shard stays open until the final checkpoint has a quorum and is stored.
    var endIndex: UInt64?
    var freeze: Freeze?

    /// The only checkpoint of this tree that may be signed.
    var checkpoint: Checkpoint { Checkpoint(origin: origin, head: head) }
}
