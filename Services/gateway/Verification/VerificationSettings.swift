import Foundation
import Pipeline

/// How files are verified.
struct VerificationSettings: Sendable {
    /// The program that reads strangers' files; beside this one unless `RIAL_C2PA_INSPECTOR` says otherwise.
    let inspector: String
    /// PEM files of certificates that vouch for signers and for time-stamp authorities.
    let trustAnchorsFile: String?
    let timestampAnchorsFile: String?
    /// Where files lie, without a name, while they are looked at.
    let scratchFolder: String
    /// Files taken in at once, and processes that read them.
    let concurrentFiles: Int
    let concurrentInspections: Int

    init(_ environment: ServiceEnvironment) throws {
        let own = CommandLine.arguments.first.map { URL(filePath: $0) }
        let beside = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")).map { URL(filePath: $0) } ?? own
        inspector =
            try environment.optional("RIAL_C2PA_INSPECTOR")
            ?? beside?.deletingLastPathComponent().appending(path: "c2pa-inspector").path ?? "c2pa-inspector"
        trustAnchorsFile = try Self.file(environment, "RIAL_C2PA_TRUST_ANCHORS")
        timestampAnchorsFile = try Self.file(environment, "RIAL_C2PA_TIMESTAMP_ANCHORS")
        scratchFolder = try environment.optional("RIAL_SCRATCH_DIR") ?? FileManager.default.temporaryDirectory.path
        guard access(scratchFolder, W_OK | X_OK) == 0 else {
            throw SettingsError("RIAL_SCRATCH_DIR", "is no folder that can be written: \(scratchFolder)")
        }
        concurrentFiles = try environment.integer("RIAL_MAX_CONCURRENT_VERIFICATIONS", default: 8, in: 1...1000)
        concurrentInspections = try environment.integer("RIAL_MAX_CONCURRENT_INSPECTIONS", default: 2, in: 1...64)
    }

    private static func file(_ environment: ServiceEnvironment, _ name: String) throws -> String? {
        guard let path = try environment.optional(name) else { return nil }
        guard access(path, R_OK) == 0 else { throw SettingsError(name, "names a file that cannot be read: \(path)") }
        return path
    }
}
