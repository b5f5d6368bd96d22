import CaptureProtocol
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing

@testable import Gateway

@Suite("Clients that wait to be told before they send a body")
struct ExpectationTests {
    private let connection: NIOAsyncTestingChannel

    init() async throws { connection = try await makeConnection(from: "192.0.2.1") }

    /// The statuses of the interim responses that were sent since the last call.
    private func told() async throws -> [Int] {
        var statuses: [Int] = []
        while case .head(let head)? = try await connection.readOutbound(as: HTTPResponsePart.self) { statuses.append(head.status.code) }
        return statuses
    }

    private func respond(
        _ path: String, _ fields: HTTPFields, _ content: AsyncThrowingStream<ByteBuffer, any Error>
    ) async throws -> Response {
        var routes = Routes()
        routes.post("/read") { request, _ in
            for try await _ in request.body {}
            return Response(status: .created)
        }
        routes.post("/unread") { _, _ in throw APIError(.deviceAuthRequired, "Nobody signed it.") }
        return try await routes.respond(to: makeRequest(.post, path, fields, content: content), makeContext(on: connection))
    }

    @Test(
        "are told once, before the first byte is read",
        arguments: [
            [.expect: "100-continue", .contentLength: "1"], [.expect: "100-Continue", .transferEncoding: "chunked"],
        ] as [HTTPFields])
    func read(fields: HTTPFields) async throws {
        let content = bodyStream(
            [1],
            meanwhile: {
                let statuses = try await told()
                #expect(statuses == [100])
            })
        #expect(try await respond("/read", fields, content).status == .created)
        #expect(try await told().isEmpty)
    }

    @Test("are told nothing where their body is not read")
    func unread() async throws {
        let fields: HTTPFields = [.expect: "100-continue", .contentLength: "1"]
        try await respond("/unread", fields, unreadStream()).expectRefusal(.deviceAuthRequired)
        #expect(try await told().isEmpty)
    }

    @Test(
        "are told nothing if they do not wait, or have nothing to send",
        arguments: [
            [.contentLength: "1"], [.expect: "something else", .contentLength: "1"], [.expect: "100-continue", .contentLength: "0"],
            [.expect: "100-continue"],
        ] as [HTTPFields])
    func unasked(fields: HTTPFields) async throws {
        #expect(try await respond("/read", fields, bodyStream([1])).status == .created)
        #expect(try await told().isEmpty)
    }

    @Test("do not wait in HTTP/1.0, which has no interim responses", arguments: [("1.0", false), ("1.1", true)])
    func version(version: String, waits: Bool) throws {
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(HTTPRequestDecoder()))
        defer { _ = try? channel.finish() }
        ExpectationFilter.add(to: channel.pipeline)
        let text = "POST / HTTP/\(version)\r\nHost: rial.test\r\nexpect: 100-continue\r\nContent-Length: 1\r\n\r\nx"
        try channel.writeInbound(ByteBuffer(string: text))
        guard case .head(let head)? = try channel.readInbound(as: HTTPServerRequestPart.self) else {
            Issue.record("no head")
            return
        }
        #expect(head.headers.contains(name: "Expect") == waits && head.headers["Content-Length"] == ["1"])
    }

    @Test("are looked at on every connection")
    func connections() throws {
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(HTTPRequestDecoder()))
        defer { _ = try? channel.finish() }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(TransferHandler(idleTimeout: .hours(1)))
        // Throws if there is none.
        _ = try pipeline.handler(type: ExpectationFilter.self)
    }
}
