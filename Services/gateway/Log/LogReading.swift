import CaptureProtocol

/// What PostgreSQL knows of captures in the public log.
protocol LogReading: Sendable {
    /// All statements about a capture, in their order; none if it was withdrawn.
    func statements(of capture: CaptureID) async throws -> [StoredStatement]

    /// Where the last of them stands; `nil` if there is none.
    func last(of capture: CaptureID) async throws -> PlacedStatement?

    /// Whether the log takes entries.
    func intake() async throws -> LogIntake

    /// Published checkpoints; `nil` for one that is damaged so that it cannot be read.
    func checkpoints(_ search: CheckpointSearch) async throws -> [CosignedCheckpoint?]

    /// - Parameter name: of its folder.
    /// - Returns: `nil` if there is no such shard, or if nothing of it is published.
    func published(shard name: String) async throws -> PublishedShard?

    /// What only the owner of a capture gets; `nil` if it was withdrawn.
    func owned(_ capture: CaptureID) async throws -> OwnedParts?
}

/// Whether the log takes entries.
enum LogIntake: String, Sendable {
    case open
    /// The log is frozen: nothing is signed until an operator has recovered it.
    case frozen
    /// No shard is open.
    case closed
}
