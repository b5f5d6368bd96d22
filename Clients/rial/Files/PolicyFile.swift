import CaptureKit
import TransparencyLog

/// A file with a policy of c2sp.org/tlog-policy.
enum PolicyFile {
    /// - Throws: ``CommandFailure`` if it cannot be read, is none, or names no log.
    static func read(_ path: String) throws -> TrustPolicy {
        let bytes: [UInt8]
        do { bytes = try PosixFiles().open(path).read(TrustPolicy.maximumBytes + 1, at: 0) } catch {
            throw CommandFailure("The policy \(path) cannot be read (\(error)).")
        }
        do {
            let policy = try TrustPolicy(bytes)
            guard !policy.logs.isEmpty else { throw CommandFailure("The policy \(path) names no log.") }
            return policy
        } catch let error as TransparencyLogError {
            throw CommandFailure("\(path) is not a policy: it \(error.message).")
        }
    }
}
