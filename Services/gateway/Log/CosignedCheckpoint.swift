import Foundation
import TransparencyLog

/// A published checkpoint with a cosignature of each witness: the first one, or its renewal if the first is too early.
struct CosignedCheckpoint: Sendable {
    let size: UInt64
    let note: SignedNote
    /// An RFC 3161 answer; `nil` also if it is too early.
    let token: [UInt8]?
}

/// Which checkpoints are looked for: those of trees that are larger than `index`.
struct CheckpointSearch: Sendable, Equatable {
    let origin: String
    var index: UInt64
    /// Cosignatures and time stamps of before are too early: they are left out.
    var notBefore = Date.distantPast
    /// Only those that a witness has cosigned.
    var isCosigned = true
    var isStamped = false
    var isNewestFirst = false
    var limit: Int
}
