import Foundation
import Models
import ServiceRuntime

/// The environment variables of `depth-analyzer`, read once at start.
struct Settings: EnvironmentSettings {
    let common: ServiceSettings
    /// The program that decodes videos; next to this executable unless `RIAL_VIDEO_DECODER` is set.
    let decoder: String
    /// How many videos are decoded at once.
    let concurrentDecoders: Int
    /// Where a video lies, without a name, while it is analyzed.
    let scratchFolder: String

    init(_ environment: ServiceEnvironment) throws {
        common = try ServiceSettings(environment, service: .depthAnalyzer)
        decoder = try environment.program("RIAL_VIDEO_DECODER", named: "video-decoder")
        concurrentDecoders = try environment.integer("RIAL_VIDEO_DECODERS", default: 1, in: 1...64)
        scratchFolder = try environment.scratchFolder("RIAL_SCRATCH_DIR")
    }
}
