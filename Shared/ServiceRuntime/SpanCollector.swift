import AsyncHTTPClient
import CaptureProtocol
import Foundation
import Logging
import Models
import NIOCore
import NIOHTTP1
import Observability
import Secrets
import ServiceLifecycle

/// A collector that takes spans by OTLP over HTTP, in JSON.
struct SpanCollector: Sendable {
    /// A request must have ended by then.
    static let timeout = Duration.seconds(5)
    let url: String
    let client: HTTPClient
    private let headers: [TracingSettings.Header]

    init(_ url: URL, headers: [TracingSettings.Header] = []) {
        self.url = url.absoluteString
        self.headers = headers
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(2), read: TimeAmount(Self.timeout)))
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func take(_ document: [UInt8]) async -> SpanExporter.Outcome {
        await withTimeout(Self.timeout) { await send(document) } ?? .away("no response in time")
    }

    private func send(_ document: [UInt8]) async -> SpanExporter.Outcome {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "User-Agent", value: Product.generator)
        for header in headers { request.headers.add(name: header.name, value: header.value.value) }
        request.body = .bytes(document)
        do {
            let response = try await client.execute(request, timeout: TimeAmount(Self.timeout))
            // Read to its end, so that the connection can be used again.
            _ = try? await response.body.collect(upTo: 64 << 10)
            return switch response.status.code {
            case 200..<300: .taken
            // OTLP's list of those after which a client may try again.
            case 429, 502, 503, 504: .away("status \(response.status.code)")
            case let code: .refused("status \(code)")
            }
        } catch {
            return .away("\(error)")
        }
    }
}

extension SpanCollector {
    /// What sends the spans of a queue to a collector, dependencies first.
    static func services(
        _ settings: TracingSettings, from queue: SpanQueue, of service: ServiceName, logger: Logger
    ) -> [any Service] {
        let collector = SpanCollector(settings.endpoint, headers: settings.headers)
        let origin = SpanOrigin(
            service: settings.serviceName ?? service.rawValue, instance: UUID().uuidString.lowercased(), version: Product.version)
        return [
            HTTPClientService(client: collector.client), SpanExporter(queue, from: origin, logger: logger) { await collector.take($0) },
        ]
    }
}
