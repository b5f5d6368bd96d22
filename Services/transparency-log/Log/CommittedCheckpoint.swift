import TransparencyLog

/// A checkpoint that may be signed, and its note without cosignatures once it is published.
struct CommittedCheckpoint: Sendable, Equatable {
    let head: TreeHead
    let text: [UInt8]
    /// `nil` until it is published.
    let note: SignedNote?
}
