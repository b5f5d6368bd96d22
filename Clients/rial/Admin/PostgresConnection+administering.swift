import Persistence

extension PostgresConnection {
    /// Runs the body on a connection of its own, as `rial admin`.
    /// - Parameter statementTimeout: the server ends a statement after this.
    static func administering<Answer: Sendable>(
        _ url: String, statementTimeout: Duration = .seconds(15), _ body: @Sendable (PostgresConnection) async throws -> Answer
    ) async throws -> Answer {
        try await connect(url: url, applicationName: "rial-admin", statementTimeout: statementTimeout).closing(after: body)
    }
}
