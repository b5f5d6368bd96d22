import CaptureKit
import CaptureProtocol
import Foundation
import RialClient
import TestSupport
import Testing

@Suite("Transport over AsyncHTTPClient")
struct TransportTests {
    private static func upload(_ body: any HTTPBody) -> HTTPRequest {
        HTTPRequest("POST", "/api/v1/captures?a=%20b", headers: [("content-type", "x/y"), ("X-Device-Id", "1")], body: body)
    }

    private static func run<Result: Sendable>(
        _ behaviour: TransportServer.Behaviour, timeouts: AsyncHTTPTransport.Timeouts = AsyncHTTPTransport.Timeouts(),
        _ body: (AsyncHTTPTransport, TransportServer) async throws -> Result
    ) async throws -> Result {
        try await TransportServer.run(behaviour) { server in
            try await withTransport("http://127.0.0.1:\(server.port)/", timeouts: timeouts) { try await body($0, server) }
        }
    }

    /// Expects that there is no answer.
    private static func expectUnreachable(
        _ behaviour: TransportServer.Behaviour, timeouts: AsyncHTTPTransport.Timeouts = AsyncHTTPTransport.Timeouts(), body: any HTTPBody,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await run(behaviour, timeouts: timeouts) { transport, server in
            let failure = await #expect(throws: TransportFailure.self, sourceLocation: sourceLocation) {
                try await transport.send(Self.upload(body))
            }
            #expect(failure.map(Self.isUnreachable) == true, sourceLocation: sourceLocation)
            #expect(server.requests.count <= 1, sourceLocation: sourceLocation)
        }
    }

    private static func isUnreachable(_ failure: TransportFailure) -> Bool { if case .unreachable = failure { true } else { false } }

    @Test("sends every byte, anew at each attempt, and tells the progress up to the last", arguments: [1, 262_144, 3_000_001])
    func sendsBody(size: Int) async throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let part = MultipartBody.Part(name: "photo", contentType: "image/jpeg", content: .source(PieceSource([bytes])))
        let body = MultipartBody(boundary: "b", parts: [part])
        let expected = try await allBytes(body)
        try await Self.run(.answer(status: 201)) { transport, server in
            for _ in 1...2 {
                let progress = ProgressLog()
                let response = try await transport.send(Self.upload(body)) { progress.add($0) }
                #expect(response.status == 201)
                #expect(progress.values.last == body.contentLength)
                #expect(progress.values == progress.values.sorted())
            }
            #expect(server.requests.count == 2)
            for request in server.requests {
                #expect(request.body == expected)
                #expect(request.method == "POST")
                #expect(request.target == "/api/v1/captures?a=%20b")
                #expect(request.headers["content-length"] == String(expected.count))
                #expect(request.headers["content-type"] == "x/y")
                #expect(request.headers["x-device-id"] == "1")
                #expect(request.headers["transfer-encoding"] == nil)
            }
        }
    }

    @Test("gives status, headers and body of any answer", arguments: [200, 204, 404, 429, 503])
    func givesAnswers(status: Int) async throws {
        let bytes: [UInt8] = status == 204 ? [] : [1, 2, 3]
        try await Self.run(.answer(status: status, headers: ["Retry-After": "7", "X-Two": "a"], body: bytes)) { transport, _ in
            let response = try await transport.send(HTTPRequest("GET", "/"))
            #expect(response.status == status)
            #expect(response.headers["retry-after"] == "7")
            #expect(response.headers["x-two"] == "a")
            #expect(response.body == bytes)
        }
    }

    @Test("does not follow redirects", arguments: [301, 302, 303, 307, 308])
    func redirects(status: Int) async throws {
        try await Self.run(.answer(status: status, headers: ["Location": "/elsewhere"])) { transport, server in
            let response = try await transport.send(HTTPRequest("GET", "/"))
            #expect(response.status == status)
            #expect(server.requests.map(\.target) == ["/"])
        }
    }

    @Test("gives an answer that comes before the body was sent")
    func earlyAnswer() async throws {
        try await Self.run(.answerEarly(status: 413)) { transport, _ in
            let response = try await transport.send(Self.upload(BytesBody([UInt8](repeating: 1, count: 3_000_000))))
            #expect(response.status == 413)
        }
    }

    @Test("makes one attempt and reports a connection that is cut")
    func cuts() async throws {
        let body = BytesBody([UInt8](repeating: 1, count: 1_000_000))
        try await Self.expectUnreachable(.cut(afterBytes: 500_000), body: body)
        try await Self.expectUnreachable(.swallowAnswer, body: body)
        try await Self.expectUnreachable(.cutAnswer, body: body)
    }

    @Test("reports a refused connection")
    func refused() async throws {
        let port = try await TransportServer.run(.silence) { $0.port }
        try await withTransport("http://127.0.0.1:\(port)") { transport in
            let failure = await #expect(throws: TransportFailure.self) { try await transport.send(HTTPRequest("GET", "/")) }
            #expect(failure.map(Self.isUnreachable) == true)
        }
    }

    @Test("does not wait for a server that stalls")
    func stalls() async throws {
        var timeouts = AsyncHTTPTransport.Timeouts()
        timeouts.idle = .milliseconds(200)
        try await Self.expectUnreachable(.silence, timeouts: timeouts, body: BytesBody([1]))
    }

    @Test("does not wait for an answer without an end")
    func endlessAnswer() async throws {
        var timeouts = AsyncHTTPTransport.Timeouts()
        timeouts.attempt = .milliseconds(300)
        try await Self.expectUnreachable(.drip, timeouts: timeouts, body: BytesBody([1]))
    }

    @Test("reads no more of a body than the connection takes")
    func backPressure() async throws {
        var timeouts = AsyncHTTPTransport.Timeouts()
        timeouts.idle = .milliseconds(500)
        let body = EndlessBody()
        try await Self.expectUnreachable(.stopReading, timeouts: timeouts, body: body)
        // The rest is in the buffers of the two sockets.
        #expect(body.readBytes < 32 << 20)
    }

    @Test("takes an answer of 4 MiB, and none that is longer")
    func longAnswers() async throws {
        let limit = 4 << 20
        try await Self.run(.answer(body: [UInt8](repeating: 1, count: limit))) { transport, _ in
            let response = try await transport.send(HTTPRequest("GET", "/"))
            #expect(response.body.count == limit)
        }
        try await Self.expectUnreachable(.answer(body: [UInt8](repeating: 1, count: limit + 1)), body: BytesBody([1]))
    }

    @Test("passes an error of reading the body on unchanged")
    func bodyErrors() async throws {
        let part = MultipartBody.Part(name: "f", contentType: "x/y", content: .source(PieceSource([[1]], error: .denied)))
        try await Self.run(.answer()) { transport, server in
            await #expect(throws: FileError.denied) { try await transport.send(Self.upload(MultipartBody(boundary: "b", parts: [part]))) }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("ends when its task is cancelled")
    func cancellation() async throws {
        try await Self.run(.silence) { transport, server in
            let task = Task { try await transport.send(Self.upload(BytesBody([1]))) }
            try await eventually("the request has arrived") { !server.requests.isEmpty }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("sends to the server's address only", arguments: ["", "x", "@example.com/", ".example.com/", ":1/"])
    func targets(target: String) async throws {
        try await Self.run(.answer()) { transport, server in
            await #expect(throws: TransportFailure.self) { try await transport.send(HTTPRequest("GET", target)) }
            #expect(server.requests.isEmpty)
        }
    }
}
