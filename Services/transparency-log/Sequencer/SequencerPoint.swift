import Observability

/// The points between two effects of a round, in their order, at which tests kill the sequencer.
enum SequencerPoint: String, CaseIterable, Sendable {
    /// The lock is taken and everything compared.
    case led
    /// Within step 1, before its commit.
    case sequenced
    case committed
    /// One tile or bundle is stored, of several.
    case tile
    case tiles
    case verified
    /// The signature exists, in memory alone.
    case signed
    case head
    case cosigned
    /// Within step 6, before its commit.
    case recorded
    case published
    case checkpoint

    /// Kills the process if a test asks for it.
    func reached() {
        switch self {
        case .led: FailPoint.reached("transparency-log.led")
        case .sequenced: FailPoint.reached("transparency-log.sequenced")
        case .committed: FailPoint.reached("transparency-log.committed")
        case .tile: FailPoint.reached("transparency-log.tile")
        case .tiles: FailPoint.reached("transparency-log.tiles")
        case .verified: FailPoint.reached("transparency-log.verified")
        case .signed: FailPoint.reached("transparency-log.signed")
        case .head: FailPoint.reached("transparency-log.head")
        case .cosigned: FailPoint.reached("transparency-log.cosigned")
        case .recorded: FailPoint.reached("transparency-log.recorded")
        case .published: FailPoint.reached("transparency-log.published")
        case .checkpoint: FailPoint.reached("transparency-log.checkpoint")
        }
    }
}
