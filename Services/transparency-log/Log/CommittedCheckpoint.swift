import TransparencyLog

/// A checkpoint that may be signed, and its note without cosignatures once it is published.
struct CommittedCheckpoint: Sendable, Equatable {
    let head: TreeHead
    let text: [UInt8]
    /// `nil` until it is published, and if it is damaged so that it cannot be read.
    let note: SignedNote?

    /// - Returns: `nil` unless the shard's key has signed the note, and the note is of this head.
    func signed(by shard: LogShard) -> PublishedCheckpoint? {
        guard let note, let published = PublishedCheckpoint(note, of: shard), published.head == head else { return nil }
        return published
    }
}
