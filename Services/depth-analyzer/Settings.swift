import Models
import ServiceRuntime

/// The environment variables of `depth-analyzer`, read once at start.
struct Settings: Sendable {
    let common: ServiceSettings

    init(_ environment: ServiceEnvironment) throws {
        common = try ServiceSettings(environment, service: .depthAnalyzer)
    }
}
