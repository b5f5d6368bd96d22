public import CaptureKit
public import Foundation
import Security

/// Sends requests by `URLSession`: TLS 1.3 at least, pins, no redirects, cookies or cache.
///
/// `URLSession` itself may not resend a body: its stream can be read once.
public final class PinnedTransport: HTTPTransport {
    private static let maximumResponseBytes = 4 * 1024 * 1024

    public var origin: String? { base }
    private let base: String
    private let session: URLSession

    /// - Parameters:
    ///   - server: `https://host`, without a path.
    ///   - pins: the server's keys, of P-256; a key of another kind is never among them.
    ///   - timeout: without a byte in either direction.
    /// - Throws: `untrusted` if the address cannot be used, such as https without pins.
    public init(server: URL, pins: PinSet, inDevelopment: Bool = false, timeout: Duration = .seconds(60)) throws(TransportFailure) {
        do throws(ServerAddressError) {
            base = try CaptureKit.ServerTrust(pins: pins, isDevelopment: inDevelopment).origin(of: server)
        } catch {
            throw .untrusted("the server's address cannot be used: \(error)")
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.tlsMinimumSupportedProtocolVersion = .TLSv13
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.waitsForConnectivity = false
        configuration.timeoutIntervalForRequest = timeout / .seconds(1)
        session = URLSession(configuration: configuration, delegate: ServerTrust(pins: pins), delegateQueue: nil)
    }

    // The session keeps its delegate until it is invalidated.
    deinit { session.finishTasksAndInvalidate() }

    public func send(_ request: HTTPRequest, progress: @escaping @Sendable (Int64) -> Void) async throws -> HTTPResponse {
        // An empty body needs no stream.
        guard let body = request.body, body.contentLength > 0 else { return try await response(to: request, input: nil, progress) }
        guard let pipe = BodyPipe() else { throw TransportFailure.unreachable("no streams for the body") }
        let reader = try body.makeReader()
        return try await withThrowingTaskGroup(of: HTTPResponse?.self) { group in
            group.addTask {
                try await pipe.write(reader)
                return nil
            }
            group.addTask { try await self.response(to: request, input: pipe.input, progress) }
            // Whatever ends first with an error ends the other; a response may come before the whole body was read.
            defer { group.cancelAll() }
            for try await case let response? in group { return response }
            throw CancellationError()
        }
    }

    private func response(
        to request: HTTPRequest, input: InputStream?, _ progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> HTTPResponse {
        let outgoing = try urlRequest(request, input: input)
        do {
            let (bytes, response) = try await session.bytes(for: outgoing, delegate: RequestEvents(progress: progress))
            defer { bytes.task.cancel() }
            guard let head = response as? HTTPURLResponse else { throw TransportFailure.unreachable("no HTTP response") }
            var body: [UInt8] = []
            for try await byte in bytes {
                guard body.count < Self.maximumResponseBytes else { throw TransportFailure.unreachable("the response is too long") }
                body.append(byte)
            }
            return HTTPResponse(status: head.statusCode, headers: Self.headers(of: head), body: body)
        } catch let failure as TransportFailure {
            throw failure
        } catch {
            try Task.checkCancellation()
            throw TransportFailure(error)
        }
    }

    private func urlRequest(_ request: HTTPRequest, input: InputStream?) throws(TransportFailure) -> URLRequest {
        guard let url = URL(string: base + request.target) else { throw .unreachable("\(request.target) is not the target of a request") }
        var outgoing = URLRequest(url: url)
        outgoing.httpMethod = request.method
        for header in request.headers { outgoing.setValue(header.value, forHTTPHeaderField: header.name) }
        if let input, let body = request.body {
            outgoing.httpBodyStream = input
            // Without it a stream is sent in chunks.
            outgoing.setValue(String(body.contentLength), forHTTPHeaderField: "Content-Length")
        } else if request.body != nil {
            outgoing.httpBody = Data()
        }
        return outgoing
    }

    private static func headers(of head: HTTPURLResponse) -> [String: String] {
        var headers: [String: String] = [:]
        for case (let name as String, let value as String) in head.allHeaderFields { headers[name.lowercased()] = value }
        return headers
    }
}

extension TransportFailure {
    init(_ error: any Error) {
        switch (error as? URLError)?.code {
        // What refusing a challenge becomes; a cancelled task is told apart before.
        case .cancelled: self = .untrusted("the server's certificate or its pin is wrong")
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .serverCertificateHasBadDate,
            .serverCertificateNotYetValid, .appTransportSecurityRequiresSecureConnection:
            self = .untrusted("\(error)")
        default: self = .unreachable("\(error)")
        }
    }
}
