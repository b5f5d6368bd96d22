import TransparencyLog

/// The tables of a frozen log, with the owner's role and the sequencer's lock.
protocol RecoveryRepository: Sendable {
    func openShard() async throws -> LogShard?

    /// All shards, closed ones too.
    func shards() async throws -> [LogShard]

    /// The leaves at these indexes, as far as there are any, in order.
    func leaves(_ range: Range<UInt64>, of origin: TextLine) async throws -> [[UInt8]]

    /// Published checkpoints, the largest first; without a note those whose note is damaged so that it cannot be read.
    func published(_ origin: TextLine, limit: Int) async throws -> [CommittedCheckpoint]

    /// In one transaction: replaces the rows by those of the proved tree, and its checkpoint's note if that is published, puts statements
    /// whose entries are not in it back among the pending ones, and unfreezes the shard.
    /// - Parameter leaves: reads a range of the proved tree's leaves.
    /// - Returns: how many statements are pending again.
    func replace(
        _ proved: ProvedTree, leaves: @escaping @Sendable (Range<UInt64>) async throws -> [[UInt8]]
    ) async throws -> Int
}

/// The largest tree that a signature of the log proves: what recovery keeps.
struct ProvedTree: Sendable, Equatable {
    let shard: LogShard
    let head: TreeHead
    let note: SignedNote
    /// The largest tree of the database's published checkpoints that this one begins with.
    let publishedSize: UInt64
    /// The next shard's key, if the last leaf has it.
    let next: VerifierKey?
}
