import Models
import ServiceRuntime

/// Everything `upload-sync` reads from the environment, read once.
struct Settings: Sendable {
    let common: ServiceSettings
    /// After how long a capture still in `processing` is announced again; doubles each time up to an hour.
    let announceAgainAfter: Duration
    /// Within how many days the stored media of each capture are read again.
    let scrubDays: Int
    /// At most so many bytes a second are read for that.
    let scrubBytesPerSecond: Int

    init(_ environment: ServiceEnvironment) throws {
        common = try ServiceSettings(environment, service: .uploadSync)
        announceAgainAfter = .seconds(try environment.integer("RIAL_ANNOUNCE_AGAIN_SECONDS", default: 60, in: 1...86_400))
        scrubDays = try environment.integer("RIAL_SCRUB_DAYS", default: 30, in: 1...3650)
        scrubBytesPerSecond = try environment.integer("RIAL_SCRUB_MEBIBYTES_PER_SECOND", default: 8, in: 1...10_000) * 1024 * 1024
    }
}
