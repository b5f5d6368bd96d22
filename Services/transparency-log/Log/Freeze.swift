/// Why nothing more is signed (SPEC §14 "Writing"). Only `rial log recover` ends it.
struct Freeze: Sendable, Equatable, CustomStringConvertible {
    enum Reason: String, Sendable, CaseIterable {
        /// The store has a signed checkpoint of a larger tree than the database.
        case databaseBehind = "database_behind"
        /// The rows do not hash to the committed root, or the published checkpoint is not there as it was signed.
        case databaseDamaged = "database_damaged"
        /// A tile or bundle of a signed tree is not what the rows make.
        case tileDiffers = "tile_differs"
        /// The newest stored head is not the committed checkpoint of its size.
        case headDiffers = "head_differs"
        /// Two trees were signed.
        case forked
        /// A witness has cosigned a larger tree than the database has.
        case witnessAhead = "witness_ahead"
        /// A witness knows a tree that ours does not begin with.
        case witnessRefuses = "witness_refuses"
    }

    let reason: Reason
    /// For the operator.
    let detail: String

    init(_ reason: Reason, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }

    var description: String { "\(reason.rawValue): \(detail)" }
}

/// What ends a round of the sequencer.
enum SequencerHalt: Error, Equatable {
    case freeze(Freeze)
    /// Another instance has the lock, or may have it by now, or something is missing in the store that the next leader restores: what this
    /// one has read is out of date.
    case lost(String)

    static func freeze(_ reason: Freeze.Reason, _ detail: String) -> SequencerHalt { .freeze(Freeze(reason, detail)) }
}
