import CaptureKit
import NIOCore
import NIOSSL

/// Compares the key of a server with the pins, after the handshake with its ordinary checks and before any request.
struct PinCheck: Sendable {
    let trust: ServerTrust

    /// - Returns: fails with ``PinMismatch``, and then closes the channel, which AsyncHTTPClient does not.
    func run(on channel: any Channel) -> EventLoopFuture<Void> {
        channel.nioSSL_peerCertificate().flatMapThrowing { certificate in
            guard let key = try certificate?.extractPublicKey().toSPKIBytes(), trust.accepts(subjectPublicKeyInfo: key) else {
                throw PinMismatch()
            }
        }.flatMapErrorThrowing { error in
            // Not before the pool has learnt of the failure: it does not expect a connection to close that it is still waiting for.
            channel.eventLoop.execute { channel.close(promise: nil) }
            throw error
        }
    }
}

/// The server's key is none of the pinned ones.
struct PinMismatch: Error {}
