import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Gives the answer to what is no HTTP the envelope that every error has: the server writes a bare 400 before any middleware is asked.
///
/// Answers of the router carry a request id, by which they are told apart.
final class UnreadableRequestHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.status.code >= 400, head.headerFields[.requestID] == nil else {
            context.write(data, promise: promise)
            return
        }
        let id = UUID().uuidString.lowercased()
        let message = "The request is not HTTP that could be read."
        let body = """
            {"error":{"code":"\(ErrorCode.validationError.rawValue)","message":"\(message)"},\
            "meta":{"request_id":"\(id)","timestamp":"\(Timestamp.format(Date()))"}}
            """
        head.headerFields[.requestID] = id
        head.headerFields[.contentType] = "application/json"
        head.headerFields[.cacheControl] = "no-store"
        head.headerFields[.xContentTypeOptions] = "nosniff"
        head.headerFields[.contentLength] = String(body.utf8.count)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(string: body))), promise: promise)
    }
}
