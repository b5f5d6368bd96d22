import NIOCore
import NIOHTTP1

/// Refuses requests with much text beyond ASCII in their head, or many escapes in their target, like requests that are not valid HTTP. No
/// client sends that.
///
/// It stands directly behind the decoder: paths and fields are compared everywhere, and to compare or hash a `String`, Swift puts
/// combining marks in a row in order, which takes quadratic time.
final class ForeignTextFilter: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// The most bytes beyond ASCII and escapes of one head.
    static let maximumBytes = 1000

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The connection ends after the refusal.
        guard !isRefused else { return }
        if case .head(let head) = unwrapInboundIn(data), Self.foreignBytes(of: head) > Self.maximumBytes {
            isRefused = true
            context.fireErrorCaught(HTTPParserError.invalidCharactersUsed)
        } else {
            context.fireChannelRead(data)
        }
    }

    private static func foreignBytes(of head: HTTPRequestHead) -> Int {
        let target = head.uri.utf8.count { $0 >= 0x80 || $0 == UInt8(ascii: "%") }
        return head.headers.reduce(target) { count, field in count + field.value.utf8.count { $0 >= 0x80 } }
    }
}
