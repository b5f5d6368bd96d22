import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

extension Request {
    /// The request, whose client is told to send its body once that is read, if it waits for this (RFC 9110 §10.1.1).
    func askingForBody(on channel: any Channel) -> Request {
        guard headers.expectsContinue else { return self }
        var request = self
        request.body = RequestBody(asyncSequence: ExpectedBody(body: body, channel: channel))
        return request
    }
}

/// A body that its client sends after a 100 (Continue). That goes when the first piece is asked for, so to no client whose request is
/// refused unread.
struct ExpectedBody: AsyncSequence, Sendable {
    let body: RequestBody
    let channel: any Channel

    func makeAsyncIterator() -> Iterator { Iterator(body: body.makeAsyncIterator(), channel: channel) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var body: RequestBody.AsyncIterator
        /// `nil` once the client was told.
        fileprivate var channel: (any Channel)?

        mutating func next() async throws -> ByteBuffer? {
            if let channel {
                self.channel = nil
                channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
            }
            return try await body.next()
        }
    }
}
