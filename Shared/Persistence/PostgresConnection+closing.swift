extension PostgresConnection {
    /// Closes the connection when `body` has ended, also with an error.
    /// - Throws: what `body` throws.
    public nonisolated func closing<T: Sendable>(after body: @Sendable (PostgresConnection) async throws -> T) async throws -> T {
        do {
            let value = try await body(self)
            await close()
            return value
        } catch {
            await close()
            throw error
        }
    }
}
