/// A log with the size of its published tree.
struct PublishedShard: Sendable, Equatable {
    let origin: String
    /// Its folder.
    let name: String
    let size: UInt64
    /// While it is open: the log goes on without one that is closed, whatever is wrong with it.
    let isFrozen: Bool
}

/// The entry of a statement.
struct LogPlace: Sendable, Equatable {
    let shard: PublishedShard
    let index: UInt64
    /// The time that it states, in POSIX seconds.
    let time: Int
    var isPublished: Bool { index < shard.size }
}
