import NIOCore
import NIOHTTP1

/// Takes `Expect` out of requests of HTTP/1.0, whose clients know no interim responses (RFC 9110 §10.1.1).
///
/// It stands before the codec, behind which no request has a version.
final class ExpectationFilter: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private static let name = "Expect"

    /// Adds one behind the decoder; none without a decoder.
    static func add(to pipeline: ChannelPipeline) {
        let operations = pipeline.syncOperations
        guard let decoder = try? operations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) else { return }
        try? operations.addHandler(ExpectationFilter(), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), head.version != .http1_1, head.headers.contains(name: Self.name) else {
            return context.fireChannelRead(data)
        }
        head.headers.remove(name: Self.name)
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
