import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Gateway

@Suite("Responses to invalid HTTP")
struct UnreadableRequestTests {
    /// Sends the head of a response, and returns the parts that are sent for it.
    private func sent(_ head: HTTPResponse) throws -> [HTTPResponsePart] {
        let channel = EmbeddedChannel(handler: UnreadableRequestHandler())
        try channel.writeOutbound(HTTPResponsePart.head(head))
        var parts: [HTTPResponsePart] = []
        while let part = try channel.readOutbound(as: HTTPResponsePart.self) { parts.append(part) }
        return parts
    }

    @Test("the server's own response gets the envelope, and the headers of every error")
    func bare() throws {
        let parts = try sent(HTTPResponse(status: .badRequest, headerFields: [.connection: "close", .contentLength: "0"]))
        guard parts.count == 2, case .head(let head) = parts[0], case .body(let body) = parts[1] else {
            Issue.record("\(parts)")
            return
        }
        let fields = head.headerFields
        #expect(head.status == .badRequest && fields[.connection] == "close" && fields[.contentLength] == "\(body.readableBytes)")
        #expect(fields[.contentType] == "application/json" && fields[.cacheControl] == "no-store")
        #expect(fields[.xContentTypeOptions] == "nosniff" && fields[.referrerPolicy] == "no-referrer")
        let json = try JSONSerialization.jsonObject(with: Data(body.readableBytesView)) as? [String: [String: Any]]
        #expect(json?["error"]?["code"] as? String == "VALIDATION_ERROR")
        #expect(json?["meta"]?["request_id"] as? String == fields[.requestID] && fields[.requestID]?.utf8.count == 36)
    }

    @Test("a response of the router is left as it is")
    func routed() throws {
        let head = HTTPResponse(status: .badRequest, headerFields: [.requestID: "a"])
        #expect(try sent(head) == [.head(head)])
    }
}
