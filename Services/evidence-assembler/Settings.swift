import Pipeline

/// Everything `evidence-assembler` reads from the environment, read once.
struct Settings: Sendable {
    let common: CommonSettings
    let signer: SignerSettings

    init(_ environment: ServiceEnvironment) throws {
        common = try CommonSettings(environment, service: .evidenceAssembler)
        signer = try SignerSettings(environment)
    }
}
