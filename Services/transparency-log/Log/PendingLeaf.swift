import TransparencyLog

/// A statement that waits for its leaf.
struct PendingLeaf: Sendable, Equatable {
    let id: Int64
    let leaf: LogLeaf
    let commitment: [UInt8]
    /// Whether it has an entry already: it was entered, and then added to the waiting ones again.
    let isLogged: Bool
}
