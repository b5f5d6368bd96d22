import Persistence

/// Keeps the relays of all services from publishing for a while. Their records wait in the outboxes.
public protocol PublishingGate: Sendable {
    /// Runs `body` while no relay publishes.
    /// - Parameter body: calls `check` before each step that depends on it; `check` throws once the gate may be open again.
    func closed<Result: Sendable>(
        _ body: @Sendable (_ check: @Sendable () async throws -> Void) async throws -> Result
    ) async throws -> Result
}

/// A gate in PostgreSQL: a relay holds a shared advisory lock while it publishes a batch, and publishes nothing while the lock is held
/// exclusively.
public struct PostgresPublishingGate: PublishingGate {
    /// The advisory lock.
    private static let lock: SQL = "hashtext('rial-publishing')"

    /// Whether the current transaction may publish, which then stays so until its end. An uncorrelated subquery is evaluated once, not for
    /// each row.
    static let isOpen: SQL = "(SELECT pg_try_advisory_xact_lock_shared(" + lock + "))"

    private let databaseURL: String
    /// The server ends the session, and with it the lock, after this long without a query: the process was paused, or its host is gone. A
    /// process that waits sends queries more often.
    private let timeout: Duration
    private let beat: Duration

    public init(databaseURL: String) { self.init(databaseURL: databaseURL, timeout: .seconds(30), beat: .seconds(5)) }

    init(databaseURL: String, timeout: Duration, beat: Duration) {
        self.databaseURL = databaseURL
        self.timeout = timeout
        self.beat = beat
    }

    /// Waits up to half a minute for batches that are being published.
    /// - Throws: `PostgresError` if there is no connection or no lock, and what `body` throws.
    public func closed<Result: Sendable>(
        _ body: @Sendable (_ check: @Sendable () async throws -> Void) async throws -> Result
    ) async throws -> Result {
        // Waiting for a lock may take two thirds of a statement's time.
        let connection = try await PostgresConnection.connect(
            url: databaseURL, applicationName: "rial-publishing-gate", statementTimeout: .seconds(45))
        // The lock ends with its connection.
        return try await connection.closing { connection in
            try await connection.execute(script: "SET idle_session_timeout = \(Int(timeout / .milliseconds(1)))")
            try await connection.query("SELECT pg_advisory_lock(" + Self.lock + ")")
            return try await withThrowingTaskGroup(of: Void.self) { group in
                // A session that is lost shows in `check`.
                group.addTask {
                    while true {
                        try await Task.sleep(for: beat)
                        try await connection.query("SELECT 1")
                    }
                }
                defer { group.cancelAll() }
                return try await body { try await connection.query("SELECT 1") }
            }
        }
    }
}
