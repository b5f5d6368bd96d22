import Foundation

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
    /// The number of statements that wait and may be entered now.
    var pending: Int
    /// How long the oldest of these has waited since it may be entered.
    var oldestSeconds: Double
}
