import CaptureProtocol
import TransparencyLog

/// What step 1 of a round writes: the next entries of a log, and the checkpoint of the tree with them.
struct SequencedBatch: Sendable {
    struct Entry: Sendable {
        let index: UInt64
        let leaf: [UInt8]
        let hash: ContentDigest
        /// `nil` for the last leaf of a shard.
        let commitment: [UInt8]?
    }

    let entries: [Entry]
    /// Ids of waiting rows to delete: those that get an entry now, and those that already had one.
    let done: [Int64]
    let checkpoint: Checkpoint
    /// Whether the last entry closes the shard.
    let isEnd: Bool

    /// - Parameters:
    ///   - pending: in the order in which they are entered.
    ///   - edge: of the committed tree.
    ///   - limit: how many were asked for. If there are fewer, nothing is left, and a shard that is to be closed gets its last leaf.
    init(_ pending: [PendingLeaf], after edge: MerkleFrontier, of shard: LogShard, limit: Int) {
        var edge = edge
        var entries: [Entry] = []
        func enter(_ leaf: LogLeaf, _ commitment: [UInt8]?) {
            let (bytes, hash) = (leaf.bytes, leaf.hash)
            entries.append(Entry(index: edge.size, leaf: bytes, hash: hash, commitment: commitment))
            edge.append(hash)
        }
        for waiting in pending where !waiting.isLogged { enter(waiting.leaf, waiting.commitment) }
        let isEnd = shard.next != nil && pending.count < limit
        if isEnd, let next = shard.next { enter(.end(next: next), nil) }
        self.entries = entries
        self.isEnd = isEnd
        done = pending.map(\.id)
        checkpoint = Checkpoint(origin: shard.origin, head: edge.head)
    }
}
