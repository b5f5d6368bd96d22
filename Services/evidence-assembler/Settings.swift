import Models
import ServiceRuntime

/// The environment variables of `evidence-assembler`, read once at start.
struct Settings: Sendable {
    let common: ServiceSettings
    let signer: SignerSettings

    init(_ environment: ServiceEnvironment) throws {
        common = try ServiceSettings(environment, service: .evidenceAssembler)
        signer = try SignerSettings(environment)
    }
}
