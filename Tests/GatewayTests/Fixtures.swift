import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import Gateway
@testable import Persistence

/// A time in whole milliseconds, so that the limits of time windows can be tested exactly.
let now = Date(timeIntervalSince1970: 1_795_000_000)

func makeContext(from address: SocketAddress? = nil) -> GatewayContext {
    let channel = EmbeddedChannel()
    channel.remoteAddress = address
    return makeContext(on: channel)
}

func makeContext(on channel: any Channel) -> GatewayContext {
    GatewayContext(source: ApplicationRequestContextSource(channel: channel, logger: Logger(label: "tests")))
}

func makeContext(from address: String) throws -> GatewayContext {
    makeContext(from: try SocketAddress(ipAddress: address, port: 4711))
}

/// An open connection, for what writes to it or closes it.
func makeConnection(from address: String) async throws -> NIOAsyncTestingChannel {
    let connection = NIOAsyncTestingChannel()
    try await connection.connect(to: SocketAddress(ipAddress: address, port: 4711))
    return connection
}

extension NIOAsyncTestingChannel {
    /// Whether nobody has closed it, after all that was begun on it.
    var isConnected: Bool {
        get async {
            await testingEventLoop.run()
            return isActive
        }
    }
}

/// - Parameter content: which comes in pieces; `nil` for none.
func makeRequest(
    _ method: HTTPRequest.Method = .get, _ path: String = "/", _ headers: HTTPFields = [:],
    content: AsyncThrowingStream<ByteBuffer, any Error>? = nil
) -> Request {
    Request(
        head: HTTPRequest(method: method, scheme: "http", authority: "rial.test", path: path, headerFields: headers),
        body: content.map { RequestBody(asyncSequence: $0) } ?? RequestBody(buffer: ByteBuffer()))
}

extension Routes {
    /// What the router answers, behind the middleware.
    func respond(to request: Request, _ context: GatewayContext) async throws -> Response {
        try await router(behind: ResponseMiddleware(routes: self)).buildResponder().respond(to: request, context: context)
    }
}

extension HTTPFields {
    /// Takes over all these fields.
    mutating func set(_ fields: HTTPFields) {
        for field in fields { self[field.name] = field.value }
    }
}

extension Response {
    /// The whole body.
    func bytes() async throws -> [UInt8] {
        let collected = Collected()
        try await body.write(Collector(into: collected))
        return collected.bytes
    }

    func text() async throws -> String { String(decoding: try await bytes(), as: UTF8.self) }

    func json() async throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(try await bytes())) as? [String: Any] ?? [:]
    }

    /// Expects a refusal in the envelope.
    /// - Parameter seconds: after which the client may ask again; `nil` if nothing is said of it.
    /// - Returns: the fields that it names.
    @discardableResult
    func expectRefusal(
        _ code: ErrorCode, retryAfter seconds: String? = nil, at location: SourceLocation = #_sourceLocation
    ) async throws -> [String] {
        let error = try await json()["error"] as? [String: Any]
        #expect(status == code.status && error?["code"] as? String == code.rawValue, sourceLocation: location)
        #expect(headers[.retryAfter] == seconds, sourceLocation: location)
        return (error?["details"] as? [[String: Any]] ?? []).compactMap { $0["field"] as? String }
    }
}

private final class Collected { var bytes: [UInt8] = [] }

private struct Collector: ResponseBodyWriter {
    let collected: Collected
    init(into collected: Collected) { self.collected = collected }
    mutating func write(_ buffer: ByteBuffer) async throws { collected.bytes += buffer.readableBytesView }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// A row in PostgreSQL's text format; `nil` is NULL.
func makeRow(_ columns: KeyValuePairs<String, String?>) -> Row {
    var bytes: [UInt8] = []
    var cells: [Range<Int>?] = []
    for (_, value) in columns {
        guard let value else {
            cells.append(nil)
            continue
        }
        cells.append(bytes.count..<bytes.count + value.utf8.count)
        bytes += value.utf8
    }
    return Row(table: ResultTable(columns: columns.map(\.key), bytes: bytes, cells: cells), index: 0)
}

/// The error response for the error that the call throws.
func refusal(_ body: () throws -> Void) -> APIError? {
    do {
        try body()
        return nil
    } catch {
        return APIError(refusal: error)
    }
}

func refusal(of body: () async throws -> Void) async -> APIError? {
    do {
        try await body()
        return nil
    } catch {
        return APIError(refusal: error)
    }
}
