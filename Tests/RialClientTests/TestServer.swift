import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import RialClient
import Synchronization
import Testing

/// A request as received by the test server.
struct SeenRequest: Sendable {
    let method: String
    let path: String
    let headers: [String: String]
    let body: [UInt8]
}

/// An HTTP server on a free port that returns prepared responses in order, and repeats the last one.
final class TestServer: Sendable {
    struct Answer: Sendable {
        var status: HTTPResponse.Status = .ok
        var headers: [String: String] = ["Content-Type": "application/json"]
        var body: String
    }

    private let answers: Mutex<[String: [Answer]]>
    private let seen = Mutex<[SeenRequest]>([])
    /// How fast it reads bodies; `nil` for as fast as they come.
    private let bytesPerSecond: Int?

    var requests: [SeenRequest] { seen.withLock { $0 } }

    /// - Parameter answers: the responses by method and path, such as "GET /health".
    init(_ answers: [String: [Answer]], bytesPerSecond: Int? = nil) {
        self.answers = Mutex(answers)
        self.bytesPerSecond = bytesPerSecond
    }

    /// Serves while `body` runs.
    func run(requestTimeout: Duration = .seconds(10), _ body: @Sendable @escaping (APIClient) async throws -> Void) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let responder = CallbackResponder<BasicRequestContext> { request, _ in
            let start = ContinuousClock.now
            var bytes: [UInt8] = []
            for try await piece in request.body {
                bytes += piece.readableBytesView
                guard let rate = self.bytesPerSecond else { continue }
                try await Task.sleep(until: start + .seconds(Double(bytes.count) / Double(rate)), clock: .continuous)
            }
            return self.answer(request.head, bytes)
        }
        let application = Application(
            responder: responder, server: .serving(), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "test-server") { _ in
                SwiftLogNoOpLogHandler()
            })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try? await application.run() }
            var iterator = ports.makeAsyncIterator()
            let number = await iterator.next() ?? 0
            let url = try #require(URL(string: "http://127.0.0.1:\(number)/"))
            let quick = RetryPolicy(attempts: 4, initialDelay: .milliseconds(5), maximumDelay: .seconds(1))
            try await body(APIClient(baseURL: url, retries: quick, requestTimeout: requestTimeout))
            group.cancelAll()
        }
    }

    private func answer(_ head: HTTPRequest, _ body: [UInt8]) -> Response {
        let method = head.method.rawValue
        let path = head.path ?? "/"
        let headers = Dictionary(
            head.headerFields.map { ($0.name.rawName.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
        seen.withLock { $0.append(SeenRequest(method: method, path: path, headers: headers, body: body)) }
        let answer = answers.withLock { answers -> Answer? in
            guard let list = answers["\(method) \(path)"], let first = list.first else { return nil }
            if list.count > 1 { answers["\(method) \(path)"] = Array(list.dropFirst()) }
            return first
        }
        guard let answer else { return Response(status: .notFound) }
        var fields = HTTPFields()
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return Response(status: answer.status, headers: fields, body: .init(byteBuffer: ByteBuffer(string: answer.body)))
    }
}
