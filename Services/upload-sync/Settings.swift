import ServiceRuntime

/// Everything `upload-sync` reads from the environment, read once.
struct Settings: Sendable {
    let common: ServiceSettings
    /// After how long a capture still in `processing` is announced again; doubles each time up to an hour.
    let announceAgainAfter: Duration

    init(_ environment: ServiceEnvironment) throws {
        common = try ServiceSettings(environment, service: .uploadSync)
        announceAgainAfter = .seconds(try environment.integer("RIAL_ANNOUNCE_AGAIN_SECONDS", default: 60, in: 1...86_400))
    }
}
