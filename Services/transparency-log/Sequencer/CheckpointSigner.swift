import Blocking
import Signing
import TransparencyLog

/// The log's key.
protocol CheckpointSigner: Sendable {
    /// Ed25519, 32 bytes.
    var publicKey: [UInt8] { get }

    /// - Returns: 64 bytes of Ed25519.
    func sign(_ text: [UInt8]) async throws -> [UInt8]
}

/// A key in a file or in a token, used outside the cooperative thread pool, because a token may be slow.
struct BlockingCheckpointSigner: CheckpointSigner {
    let key: any MessageSigner
    private let executor = BlockingExecutor(label: "log-signer")

    init(key: any MessageSigner) { self.key = key }

    var publicKey: [UInt8] { key.publicKey }

    func sign(_ text: [UInt8]) async throws -> [UInt8] {
        let key = key
        return try await executor.run { try key.sign(text) }
    }
}
