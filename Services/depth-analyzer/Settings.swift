import Pipeline

/// Everything `depth-analyzer` reads from the environment, read once.
struct Settings: Sendable {
    let common: CommonSettings

    init(_ environment: ServiceEnvironment) throws {
        common = try CommonSettings(environment, service: .depthAnalyzer)
    }
}
