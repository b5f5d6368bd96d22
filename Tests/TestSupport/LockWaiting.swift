public import Persistence

/// Waits until a statement of another session waits for a lock that the connection's session has.
/// - Throws: ``DeadlinePassed`` after `limit`.
public func waitForWaiter(behind connection: PostgresConnection, within limit: Duration = .seconds(60)) async throws {
    try await eventually(within: limit, "another session waits for a lock of this one") {
        try await !connection.query("SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))").isEmpty
    }
}
