import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Synchronization
import Testing

/// A span as a collector gets it by OTLP.
struct CollectedSpan: Sendable {
    let service: String
    let traceID, spanID, parentID, name: String
    let kind: Int
    /// Numbers as text.
    let attributes: [String: String]
    let nanoseconds: ClosedRange<UInt64>

    init(_ span: [String: Any], service: String) throws {
        self.service = service
        traceID = try #require(span["traceId"] as? String)
        spanID = try #require(span["spanId"] as? String)
        parentID = span["parentSpanId"] as? String ?? ""
        name = try #require(span["name"] as? String)
        kind = try #require(span["kind"] as? Int)
        attributes = try Self.attributes(span)
        let start = try #require((span["startTimeUnixNano"] as? String).flatMap { UInt64($0) })
        nanoseconds = start...max(start, try #require((span["endTimeUnixNano"] as? String).flatMap { UInt64($0) }))
    }

    static func attributes(_ object: [String: Any]) throws -> [String: String] {
        let pairs = try #require(object["attributes"] as? [[String: Any]]).map { one in
            (try #require(one["key"] as? String), try #require((one["value"] as? [String: String])?.values.first))
        }
        return Dictionary(pairs) { _, last in last }
    }
}

/// An OpenTelemetry collector that keeps what it gets with its credentials (``headers``).
final class StubCollector: Sendable {
    /// The setting `OTEL_EXPORTER_OTLP_HEADERS` with its credentials.
    static let headers = "Authorization=Bearer%20a%20b"
    private let bodies = Mutex<[Data]>([])

    /// All spans so far.
    func spans() throws -> [CollectedSpan] {
        try bodies.withLock { $0 }.flatMap { body in
            let json = try #require(try JSONSerialization.jsonObject(with: body) as? [String: [[String: Any]]])
            return try #require(json["resourceSpans"]).flatMap { part in
                let resource = try CollectedSpan.attributes(try #require(part["resource"] as? [String: Any]))
                return try #require(part["scopeSpans"] as? [[String: Any]]).flatMap { scope in
                    try #require(scope["spans"] as? [[String: Any]]).map {
                        try CollectedSpan($0, service: try #require(resource["service.name"]))
                    }
                }
            }
        }
    }

    /// Collects while `body` runs, which is given the collector's address.
    func run(_ body: @Sendable @escaping (String) async throws -> Void) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let responder = CallbackResponder<BasicRequestContext> { request, _ in
            let bytes = Array(buffer: try await request.body.collect(upTo: 16 << 20))
            guard request.method == .post, request.uri.path == "/v1/traces", request.headers[.contentType] == "application/json" else {
                return Response(status: .notFound)
            }
            guard request.headers[.authorization] == "Bearer a b" else { return Response(status: .unauthorized) }
            self.bodies.withLock { $0.append(Data(bytes)) }
            return Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(string: "{}")))
        }
        let application = Application(
            responder: responder, server: .serving(), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "collector") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try? await application.run() }
            var iterator = ports.makeAsyncIterator()
            let number = try #require(await iterator.next())
            try await body("http://127.0.0.1:\(number)")
            group.cancelAll()
        }
    }
}
