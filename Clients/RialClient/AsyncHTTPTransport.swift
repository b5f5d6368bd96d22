import AsyncHTTPClient
public import CaptureKit
import CaptureProtocol
public import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// Sends CaptureKit's requests through AsyncHTTPClient. Must be shut down.
public final class AsyncHTTPTransport: HTTPTransport {
    public struct Timeouts: Sendable {
        /// To connect, the TLS handshake included.
        public var connect = Duration.seconds(10)
        /// Without a byte sent or received.
        public var idle = Duration.seconds(60)
        /// For the whole attempt. The server waits at most ten minutes for a body.
        public var attempt = Duration.seconds(11 * 60)

        public init() {}
    }

    private static let maximumResponseBytes = 4 << 20

    public var origin: String? { base }
    private let base: String
    private let httpClient: HTTPClient
    private let timeouts: Timeouts

    /// - Parameters:
    ///   - extraRootsPEM: certificates that may vouch for the server, beside those of the system.
    /// - Throws: ``ServerAddressError``; an error of NIOSSL if the roots are not certificates.
    public init(baseURL: URL, trust: ServerTrust, extraRootsPEM: [UInt8] = [], timeouts: Timeouts = Timeouts()) throws {
        base = try trust.origin(of: baseURL)
        self.timeouts = timeouts
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = TimeAmount(timeouts.connect)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv13
        // How long a server that was refused may delay the end of its connection.
        tls.shutdownTimeout = .seconds(1)
        if !extraRootsPEM.isEmpty { tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMBytes(extraRootsPEM))] }
        configuration.tlsConfiguration = tls
        if !trust.pins.isEmpty, base.hasPrefix("https:") {
            configuration.http1_1ConnectionDebugInitializer = { PinCheck(trust: trust).run(on: $0) }
        }
        httpClient = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Closes the connections; requests in progress fail.
    public func shutdown() async throws { try await httpClient.shutdown() }

    public func send(_ request: HTTPRequest, progress: @escaping @Sendable (Int64) -> Void) async throws -> HTTPResponse {
        guard request.target.hasPrefix("/") else { throw TransportFailure.unreachable("“\(request.target)” is not a path") }
        let detector = StallDetector()
        do {
            return try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await self.exchange(request, detector, progress) }
                group.addTask { [timeouts] in try await detector.watch(idle: timeouts.idle, attempt: timeouts.attempt) }
                guard let response = try await group.next() else { throw CancellationError() }
                return response
            }
        } catch let failure as BodyReadFailure {
            throw failure.cause
        } catch {
            try Task.checkCancellation()
            throw TransportFailure(cause: error)
        }
    }

    private func exchange(
        _ request: HTTPRequest, _ detector: StallDetector, _ progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> HTTPResponse {
        var outgoing = HTTPClientRequest(url: base + request.target)
        outgoing.method = HTTPMethod(rawValue: request.method)
        outgoing.headers.add(name: "user-agent", value: "rial-capture/\(Product.version)")
        for header in request.headers { outgoing.headers.add(name: header.name, value: header.value) }
        outgoing.body = request.body.map { body in
            .streaming(body) { sentBytes in
                detector.progressed()
                progress(sentBytes)
            }
        }
        let response = try await httpClient.execute(outgoing, deadline: .distantFuture)
        var body: [UInt8] = []
        for try await piece in response.body {
            detector.progressed()
            guard body.count + piece.readableBytes <= Self.maximumResponseBytes else {
                throw TransportFailure.unreachable("the answer is longer than \(Self.maximumResponseBytes) bytes")
            }
            body += piece.readableBytesView
        }
        let headers = response.headers.map { ($0.name.lowercased(), $0.value) }
        return HTTPResponse(status: Int(response.status.code), headers: Dictionary(headers) { "\($0), \($1)" }, body: body)
    }
}
