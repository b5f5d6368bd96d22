import Foundation
import TransparencyLog

/// A log as the database has it.
struct LogShard: Sendable, Equatable {
    let origin: TextLine
    /// `[a-z0-9-]{1,32}`; the log's folder in the store.
    let shard: String
    let key: VerifierKey
    /// The committed tree: more than the published one while a round is under way.
    var head: TreeHead
    var publishedSize: UInt64
    /// Set once the shard is to be closed.
    var next: VerifierKey?
    /// Of the last leaf, once it is there. The shard stays open until the final checkpoint has a quorum and is stored.
    var endIndex: UInt64?
    var freeze: Freeze?

    /// The one text of this tree that may be signed.
    var checkpoint: Checkpoint { Checkpoint(origin: origin, head: head) }
}

/// A statement that waits for its leaf.
struct PendingLeaf: Sendable, Equatable {
    let id: Int64
    let leaf: LogLeaf
    let commitment: [UInt8]
    /// It has an entry already: it was taken once and came again.
    let isLogged: Bool
}

/// A text that may be signed, and once it was, as the log alone signed it.
struct CommittedCheckpoint: Sendable, Equatable {
    let head: TreeHead
    let text: [UInt8]
    /// `nil` until it is published.
    let note: SignedNote?
}

/// A cosignature of our checkpoint that verified.
struct KeptCosignature: Sendable, Equatable {
    let signature: NoteSignature
    /// POSIX time.
    let seconds: UInt64

    init(signature: NoteSignature, seconds: UInt64) {
        self.signature = signature
        self.seconds = seconds
    }

    /// Whether it names this key as its own.
    func isBy(_ key: VerifierKey) -> Bool { signature.name == key.name && signature.id == key.id }

    /// One that was kept; `nil` if it has no time.
    init?(_ signature: NoteSignature) {
        guard signature.signature.count == 72 else { return nil }
        self.init(signature: signature, seconds: signature.signature.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// The line without LF.
    var line: String { String(decoding: signature.line.dropLast(), as: UTF8.self) }
}

/// What is shown of a log and its waiting statements.
struct LogStanding: Sendable, Equatable {
    /// The open shard, if there is one.
    var shard: LogShard?
    /// Whether any shard is frozen, but for those that were given up.
    var isFrozen: Bool
    /// When the open shard was opened.
    var openedAt: Date?
    var publishedAt: Date?
    var stampedAt: Date?
    /// Those that may be entered by now.
    var pending: Int
    /// How long the first of them has waited.
    var oldestSeconds: Double
}
