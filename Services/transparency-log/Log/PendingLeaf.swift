import TransparencyLog

/// A statement that waits for its leaf.
struct PendingLeaf: Sendable, Equatable {
    /// How far ahead the time that it states may be, in seconds: clocks differ. With a later one it waits, since witnesses would see it
    /// before it was made.
    static let aheadSeconds = 60

    let id: Int64
    let leaf: LogLeaf
    let commitment: [UInt8]
    /// Whether it has an entry already: it was entered, and then added to the waiting ones again.
    let isLogged: Bool
}
