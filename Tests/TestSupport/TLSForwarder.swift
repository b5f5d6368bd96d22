import NIOCore
import NIOPosix
public import NIOSSL
import Synchronization

/// Ends TLS on 127.0.0.1 in front of a server that speaks plain HTTP, and counts what comes out of it.
public final class TLSForwarder: Sendable {
    /// Connections so far.
    public var connections: Int { counts.withLock { $0.connections } }
    /// What clients sent after the handshake.
    public var receivedBytes: Int { counts.withLock { $0.bytes } }
    private let counts = Mutex((connections: 0, bytes: 0))

    private init() {}

    /// Forwards while `body` runs.
    /// - Parameter target: the server's port on 127.0.0.1.
    public static func run<Result: Sendable>(
        to target: Int, _ tls: TLSConfiguration, _ body: (_ forwarder: TLSForwarder, _ port: Int) async throws -> Result
    ) async throws -> Result {
        let forwarder = TLSForwarder()
        let context = try NIOSSLContext(configuration: tls)
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { client in
                forwarder.counts.withLock { $0.connections += 1 }
                // Both channels on one event loop: their handlers need no locks.
                return ClientBootstrap(group: client.eventLoop).connect(host: "127.0.0.1", port: target).flatMapThrowing { server in
                    try client.pipeline.syncOperations.addHandlers([
                        NIOSSLServerHandler(context: context),
                        Forwarding(to: server) { count in forwarder.counts.withLock { $0.bytes += count } },
                    ])
                    try server.pipeline.syncOperations.addHandler(Forwarding(to: client) { _ in })
                }
            }
        let listener = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        do {
            let result = try await body(forwarder, listener.localAddress?.port ?? 0)
            try await listener.close()
            return result
        } catch {
            try? await listener.close()
            throw error
        }
    }
}

/// Writes what is read from one channel to the other; each ends with the other.
private final class Forwarding: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let other: any Channel
    private let count: (Int) -> Void

    init(to other: any Channel, count: @escaping (Int) -> Void) {
        self.other = other
        self.count = count
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        count(bytes.readableBytes)
        other.writeAndFlush(bytes, promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }

    /// Clients that refuse a certificate are what the tests are about.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
