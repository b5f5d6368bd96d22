import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Gateway

@Suite("Clients of HTTP/1.0, and of connections that end")
struct HTTPVersionFilterTests {
    /// A connection on which a request with a body of one byte has arrived.
    /// - Parameter fields: lines of the head besides `Content-Length`.
    private func channel(after fields: [String], version: String) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(HTTPRequestDecoder()))
        channel.pipeline.addBehindDecoder(HTTPVersionFilter())
        let lines = ["POST / HTTP/\(version)", "Host: rial.test"] + fields + ["Content-Length: 1", "", "x"]
        try channel.writeInbound(ByteBuffer(string: lines.joined(separator: "\r\n")))
        return channel
    }

    /// The request's fields as the server sees them.
    private func fields(after fields: [String], version: String) throws -> HTTPHeaders {
        let channel = try channel(after: fields, version: version)
        defer { _ = try? channel.finish() }
        guard case .head(let head)? = try channel.readInbound(as: HTTPServerRequestPart.self) else {
            Issue.record("no head")
            return [:]
        }
        return head.headers
    }

    @Test("a client of HTTP/1.0 does not wait for an interim response, which it does not know", arguments: [("1.0", false), ("1.1", true)])
    func expectation(version: String, waits: Bool) throws {
        let fields = try fields(after: ["expect: 100-continue"], version: version)
        #expect(fields.contains(name: "Expect") == waits && fields["Content-Length"] == ["1"])
    }

    @Test("a client of HTTP/1.0 is sent no interim responses", arguments: [("1.0", [201]), ("1.1", [104, 201])] as [(String, [UInt])])
    func interim(version: String, statuses: [UInt]) throws {
        let channel = try channel(after: [], version: version)
        defer { _ = try? channel.finish() }
        for status in [HTTPResponseStatus.custom(code: 104, reasonPhrase: "Upload Resumption Supported"), .created] {
            try channel.writeOutbound(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: status)))
        }
        var sent: [UInt] = []
        while case .head(let head)? = try channel.readOutbound(as: HTTPServerResponsePart.self) { sent.append(head.status.code) }
        #expect(sent == statuses)
    }

    @Test(
        "a connection ends after a request of HTTP/1.0, or with the option `close`, however it is written",
        arguments: [
            ("1.0", [], ["close"]), ("1.0", ["Connection: keep-alive"], ["close"]), ("1.1", ["connection: Close"], ["close"]),
            ("1.1", ["Connection: TE, close"], ["close"]), ("1.1", ["Connection: TE", "Connection: CLOSE"], ["close"]), ("1.1", [], []),
            ("1.1", ["Connection: closer, TE"], ["closer, TE"]),
        ] as [(String, [String], [String])])
    func connection(version: String, lines: [String], seen: [String]) throws {
        let fields = try fields(after: lines, version: version)
        #expect(fields["Connection"] == seen)
    }

    @Test("every connection is looked at by both filters")
    func everyConnection() throws {
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(HTTPRequestDecoder()))
        defer { _ = try? channel.finish() }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(TransferHandler(idleTimeout: .hours(1)))
        // They throw if there is none.
        _ = try pipeline.handler(type: HTTPVersionFilter.self)
        _ = try pipeline.handler(type: ForeignTextFilter.self)
    }
}
