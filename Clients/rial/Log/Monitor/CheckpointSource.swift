import CaptureKit
import CaptureProtocol
import Foundation
import TransparencyLog

/// Where else checkpoints of a log are seen.
enum CheckpointSource: Sendable, Equatable {
    /// An address of a checkpoint.
    case address(String)
    /// The monitoring prefix of a witness; ends in a slash.
    case witness(String)
    case file(String)

    /// - Parameter text: an address, which is a monitoring prefix if it ends in a slash, or the path of a file.
    init(_ text: String) {
        guard text.hasPrefix("http://") || text.hasPrefix("https://") else {
            self = .file(text)
            return
        }
        self = text.hasSuffix("/") ? .witness(text) : .address(text)
    }

    /// The policy's witnesses: mostly their submission prefix serves for monitoring too.
    static func witnesses(of policy: TrustPolicy) -> [CheckpointSource] {
        policy.witnesses.compactMap { witness in witness.url.map { .witness($0.hasSuffix("/") ? $0 : $0 + "/") } }
    }

    /// - Returns: `nil` if it has none of this log.
    /// - Throws: ``PublicFiles/Unreachable``.
    func read(_ files: PublicFiles, origin: TextLine) async throws -> [UInt8]? {
        switch self {
        case .address(let address): return try await files.read(address)
        case .witness: return try await files.read(place(of: origin))
        case .file(let path):
            do { return try PosixFiles().open(path).read(Tile.maximumFileBytes, at: 0) } catch {
                throw PublicFiles.Unreachable(description: "\(path) cannot be read (\(error))")
            }
        }
    }

    /// For people.
    func place(of origin: TextLine) -> String {
        switch self {
        case .address(let address): address
        case .witness(let prefix): "\(prefix)\(ContentDigest(of: origin.bytes).hex)/checkpoint"
        case .file(let path): path
        }
    }
}
