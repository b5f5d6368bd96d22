import TransparencyLog

/// A text that may be signed, and once it was, as the log alone signed it.
struct CommittedCheckpoint: Sendable, Equatable {
    let head: TreeHead
    let text: [UInt8]
    /// `nil` until it is published.
    let note: SignedNote?
}
