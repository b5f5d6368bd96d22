/// Why there is no evidence bundle of a capture yet.
public enum NotLoggedReason: String, Sendable, CaseIterable {
    /// There is no verdict yet.
    case processing
    /// There is no verdict; a later upload may bring one.
    case failed
    /// A statement is on its way into the log.
    case pending
    /// A statement may not be in the log before its day has ended.
    case held
    /// Too few witnesses have seen it.
    case unwitnessed
    /// The log is frozen: it accepts no entries until an operator has recovered it.
    case frozen

    /// Whether waiting for a minute may help.
    public var isPassing: Bool {
        switch self {
        case .processing, .pending, .unwitnessed: true
        case .failed, .held, .frozen: false
        }
    }
}
