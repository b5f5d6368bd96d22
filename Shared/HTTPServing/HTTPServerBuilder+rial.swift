public import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
public import NIOSSL

extension HTTPServerBuilder {
    /// HTTP/1.1 whose end never traps, over TLS if that is configured.
    public static func serving(_ configuration: HTTP1Channel.Configuration = .init(), tls: TLSConfiguration? = nil) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            let http = HTTP1Channel(responder: responder, configuration: configuration)
            guard let tls else { return KeptChannel(base: http) }
            return KeptChannel(base: try TLSChannel(http, tlsConfiguration: tls))
        }
    }
}

/// Keeps what is made for an accepted connection until the connection has ended.
///
/// A server that ends takes no more of the connections that it has just accepted. What was made for them is dropped then, and
/// `NIOAsyncWriter` ends the whole process if it is dropped before its connection has ended (apple/swift-nio#2637).
struct KeptChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        base.setup(channel: channel, logger: logger).map { value in
            channel.closeFuture.whenComplete { _ in withExtendedLifetime(value) {} }
            return value
        }
    }

    func handle(value: Base.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
