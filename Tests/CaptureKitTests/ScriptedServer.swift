import CaptureKit

/// A transport that records requests and answers from a script; requests without a step in it get the usual answer.
actor ScriptedServer: HTTPTransport {
    struct Request: Sendable, Equatable {
        let method: String
        let target: String
        /// Names in lower case.
        let headers: [String: String]
        let body: [UInt8]
    }

    enum Step: Sendable {
        case answer(HTTPResponse)
        /// The request does not reach the server.
        case fail(TransportFailure)
        /// The usual answer, which is lost on its way.
        case loseAnswer
        /// The server gets so many bytes of the body, then the connection breaks.
        case cut(afterBytes: Int)
        case usual
    }

    nonisolated let origin: String? = "https://rial.example"
    private(set) var requests: [Request] = []
    private var steps: [String: [Step]] = [:]
    private let usualAnswer: @Sendable (Request) -> HTTPResponse

    init(usualAnswer: @escaping @Sendable (Request) -> HTTPResponse) { self.usualAnswer = usualAnswer }

    /// Adds steps for the next requests of a target.
    func script(_ target: String, _ steps: Step...) { self.steps[target, default: []] += steps }

    func requests(of target: String) -> [Request] { requests.filter { $0.target == target } }

    func send(_ request: HTTPRequest, progress: @escaping @Sendable (Int64) -> Void) async throws -> HTTPResponse {
        var body: [UInt8] = []
        if let reader = try request.body?.makeReader() {
            while let piece = try await reader.next() { body += piece }
        }
        progress(Int64(body.count))
        let headers = Dictionary(request.headers.map { ($0.name.lowercased(), $0.value) }) { _, last in last }
        let received = Request(method: request.method, target: request.target, headers: headers, body: body)
        requests.append(received)
        guard var steps = steps[request.target], !steps.isEmpty else { return usualAnswer(received) }
        let step = steps.removeFirst()
        self.steps[request.target] = steps
        switch step {
        case .answer(let response): return response
        case .fail(let failure): throw failure
        case .usual: return usualAnswer(received)
        case .cut(let count):
            _ = usualAnswer(Request(method: request.method, target: request.target, headers: headers, body: Array(body.prefix(count))))
            throw TransportFailure.unreachable("the connection broke")
        case .loseAnswer:
            _ = usualAnswer(received)
            throw TransportFailure.unreachable("the answer was lost")
        }
    }
}

/// A scripted server, before whose first request something else happens.
struct InterruptedServer: HTTPTransport {
    let server: ScriptedServer
    let before: @Sendable () async throws -> Void

    var origin: String? { server.origin }

    func send(_ request: HTTPRequest, progress: @escaping @Sendable (Int64) -> Void) async throws -> HTTPResponse {
        if await server.requests.isEmpty { try await before() }
        return try await server.send(request, progress: progress)
    }
}
