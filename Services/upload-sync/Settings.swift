import Models
import ServiceRuntime

/// The environment variables of `upload-sync`, read once at start.
struct Settings: EnvironmentSettings {
    let common: ServiceSettings
    /// How long a capture may be in `processing` before it is announced again; doubles each time, up to an hour.
    let announceAgainAfter: Duration
    /// The scrub interval: the stored media of each capture are read again within this many days.
    let scrubDays: Int
    /// The read rate of the scrub, at most, in bytes per second.
    let scrubBytesPerSecond: Int

    init(_ environment: ServiceEnvironment) throws {
        common = try ServiceSettings(environment, service: .uploadSync)
        announceAgainAfter = .seconds(try environment.integer("RIAL_ANNOUNCE_AGAIN_SECONDS", default: 60, in: 1...86_400))
        scrubDays = try environment.integer("RIAL_SCRUB_DAYS", default: 30, in: 1...3650)
        scrubBytesPerSecond = try environment.integer("RIAL_SCRUB_MEBIBYTES_PER_SECOND", default: 8, in: 1...10_000) * 1024 * 1024
    }
}
