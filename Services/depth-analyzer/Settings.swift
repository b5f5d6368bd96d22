import Models
import ServiceRuntime

/// Everything `depth-analyzer` reads from the environment, read once.
struct Settings: Sendable {
    let common: ServiceSettings

    init(_ environment: ServiceEnvironment) throws {
        common = try ServiceSettings(environment, service: .depthAnalyzer)
    }
}
