import CaptureProtocol
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
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
}
