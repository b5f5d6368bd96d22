import NIOCore
import NIOHTTP1

/// Lets clients of HTTP/1.0 be served as they expect it: `Expect` is taken out of their requests, and interim responses out of what is sent
/// to them (RFC 9110 §10.1.1, §15.2), and their requests say `Connection: close` (RFC 9112 §9.3). So does a request of any version that has
/// the connection option `close` in another spelling or among others (RFC 9112 §9.6): the server knows only that one form.
///
/// It stands before the codec, behind which no request has a version.
final class HTTPVersionFilter: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Whether the latest request is of an earlier version than HTTP/1.1.
    private var isEarlier = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        isEarlier = head.version != .http1_1
        if isEarlier { head.headers.remove(name: "Expect") }
        if isEarlier || head.headers[canonicalForm: "Connection"].contains(where: { $0.lowercased() == "close" }) {
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isEarlier, case .head(let head) = unwrapOutboundIn(data), head.status.code < 200 {
            promise?.succeed(())
        } else {
            context.write(data, promise: promise)
        }
    }
}
