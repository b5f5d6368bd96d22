import CaptureProtocol
import Foundation
import ServiceRuntime

/// The settings for verifying files.
struct VerificationSettings: Sendable {
    /// The inspector executable, which reads untrusted files; next to this executable unless `RIAL_C2PA_INSPECTOR` is set.
    let inspector: String
    /// PEM files of trust anchors: for signers, for our own signers, and for time-stamp authorities.
    let trustAnchorsFile: String?
    let ownAnchorsFile: String?
    let timestampAnchorsFile: String?
    /// Where files are stored, without a name, during verification.
    let scratchFolder: String
    /// How many files are verified at once, and how many inspector processes run at once.
    let concurrentFiles: Int
    let concurrentInspections: Int
    /// How many files one address may upload at once; 0 means no limit.
    let filesPerAddress: Int
    /// How much of the scratch folder the files that are verified may take, and as much the media that become part of bundles; 0 means no
    /// limit.
    let scratchShareBytes: Int64

    init(_ environment: ServiceEnvironment) throws {
        inspector = try environment.program("RIAL_C2PA_INSPECTOR", named: "c2pa-inspector")
        trustAnchorsFile = try Self.file(environment, "RIAL_C2PA_TRUST_ANCHORS")
        ownAnchorsFile = try Self.file(environment, "RIAL_C2PA_OWN_ANCHORS")
        timestampAnchorsFile = try Self.file(environment, "RIAL_C2PA_TIMESTAMP_ANCHORS")
        scratchFolder = try environment.scratchFolder("RIAL_SCRATCH_DIR")
        concurrentFiles = try environment.integer("RIAL_MAX_CONCURRENT_VERIFICATIONS", default: 8, in: 1...1000)
        filesPerAddress = try environment.integer("RIAL_MAX_VERIFICATIONS_PER_ADDRESS", default: 4, in: 0...1000)
        scratchShareBytes = try Self.scratchShare(environment)
        concurrentInspections = try environment.integer("RIAL_MAX_CONCURRENT_INSPECTIONS", default: 2, in: 1...64)
    }

    /// Half of the given space. Less than a video would have all of them refused.
    private static func scratchShare(_ environment: ServiceEnvironment) throws -> Int64 {
        let megabytes = try environment.integer("RIAL_SCRATCH_MB", default: 800, in: 0...1_000_000)
        let least = SizeLimits.video >> 19
        guard megabytes == 0 || megabytes >= least else {
            throw SettingsError(
                "RIAL_SCRATCH_MB",
                "must be 0 or at least \(least), not “\(megabytes)”: each half must hold a video of \(SizeLimits.video >> 20) MiB")
        }
        return Int64(megabytes) << 19
    }

    private static func file(_ environment: ServiceEnvironment, _ name: String) throws -> String? {
        guard let path = try environment.optional(name) else { return nil }
        guard access(path, R_OK) == 0 else { throw SettingsError(name, "names a file that cannot be read: \(path)") }
        return path
    }
}
