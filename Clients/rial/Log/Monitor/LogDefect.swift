/// What is wrong with a log, in one line.
struct LogDefect: Error, Sendable, Equatable, CustomStringConvertible {
    enum Kind: String, Sendable, CaseIterable {
        /// Two signed trees of which neither begins with the other.
        case forked
        /// The log shows a smaller tree than it did.
        case wentBack = "went back"
        /// Others have a signed checkpoint that the log does not come up to.
        case behind
        case entryChanged = "entry changed"
        case tileChanged = "tile changed"
        /// A tile, an entry bundle, the checkpoint, or an entry that a bundle has is not there.
        case missing
        case duplicate = "duplicate commitment"
        case malformedLeaf = "malformed leaf"
        case afterEnd = "entries after the end"
        /// Not a note that the log signed.
        case malformedCheckpoint = "malformed checkpoint"
        /// A bundle's statement is not where its proof says.
        case notLogged = "not in the log"
    }

    let kind: Kind
    let sentence: String

    init(_ kind: Kind, _ sentence: String) {
        self.kind = kind
        self.sentence = sentence
    }

    /// Whether it may be seen of a sound log for a moment, while it publishes, restarts, or caches run out.
    var passes: Bool { kind == .wentBack || kind == .missing }

    var description: String { "\(kind.rawValue): \(sentence)" }
}
