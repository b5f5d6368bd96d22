import TransparencyLog

/// A published checkpoint with the first cosignature of each witness.
struct CosignedCheckpoint: Sendable {
    let size: UInt64
    let note: SignedNote
    /// An RFC 3161 answer.
    let token: [UInt8]?
}

/// Which checkpoints are looked for: those of trees that are larger than `index`.
struct CheckpointSearch: Sendable, Equatable {
    let origin: String
    let index: UInt64
    /// Only those that a witness has cosigned.
    var isCosigned = true
    var isStamped = false
    var isNewestFirst = false
    var limit: Int
}
