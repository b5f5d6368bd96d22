import Site

/// Where the public log stands.
protocol LogFactsReading: Sendable {
    func facts() async throws -> LogFacts
}
