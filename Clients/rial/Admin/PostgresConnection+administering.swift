import Persistence

extension PostgresConnection {
    /// Runs the body on a connection of its own, as `rial admin`.
    static func administering<Answer: Sendable>(
        _ url: String, _ body: @Sendable (PostgresConnection) async throws -> Answer
    ) async throws -> Answer {
        try await connect(url: url, applicationName: "rial-admin").closing(after: body)
    }
}
