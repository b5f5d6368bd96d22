import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Adds the error envelope to responses to invalid HTTP: the server writes a bare 400 before any middleware runs.
///
/// It recognises those responses by the missing request id: all responses of the router have one.
final class UnreadableRequestHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.status.code >= 400, head.headerFields[.requestID] == nil else {
            context.write(data, promise: promise)
            return
        }
        let id = UUID().uuidString.lowercased()
        let code = ErrorCode.validationError.rawValue
        let body = Envelope.failureBody(code: code, message: "The request is not valid HTTP.", requestID: id) ?? []
        head.headerFields[.requestID] = id
        head.headerFields[.contentType] = "application/json"
        head.headerFields[.cacheControl] = "no-store"
        head.headerFields[.xContentTypeOptions] = "nosniff"
        head.headerFields[.referrerPolicy] = "no-referrer"
        head.headerFields[.contentLength] = String(body.count)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: promise)
    }
}
