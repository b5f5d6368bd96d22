import Models
import ServiceRuntime

/// Everything `evidence-assembler` reads from the environment, read once.
struct Settings: Sendable {
    let common: ServiceSettings
    let signer: SignerSettings

    init(_ environment: ServiceEnvironment) throws {
        common = try ServiceSettings(environment, service: .evidenceAssembler)
        signer = try SignerSettings(environment)
    }
}
