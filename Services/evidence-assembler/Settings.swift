import Models
import ServiceRuntime

/// The environment variables of `evidence-assembler`, read once at start.
struct Settings: EnvironmentSettings {
    let common: ServiceSettings
    let signer: SignerSettings
    /// Where a video lies, without a name, while it is published.
    let scratchFolder: String

    init(_ environment: ServiceEnvironment) throws {
        common = try ServiceSettings(environment, service: .evidenceAssembler)
        signer = try SignerSettings(environment)
        scratchFolder = try environment.scratchFolder("RIAL_SCRATCH_DIR")
    }
}
