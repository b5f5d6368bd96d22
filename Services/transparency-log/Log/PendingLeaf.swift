import TransparencyLog

/// A statement that waits for its leaf.
struct PendingLeaf: Sendable, Equatable {
    let id: Int64
    let leaf: LogLeaf
    let commitment: [UInt8]
    /// It has an entry already: it was taken once and came again.
    let isLogged: Bool
}
