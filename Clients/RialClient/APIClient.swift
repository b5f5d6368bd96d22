public import AsyncHTTPClient
import CaptureKit
import CaptureProtocol
public import Foundation
import Models
import NIOCore
import NIOHTTP1

/// A client of the HTTP API (SPEC §2).
public struct APIClient: Sendable {
    /// Responses are buffered whole; those of the API are far smaller than this.
    static let maximumResponseBytes = 4 * 1024 * 1024

    /// `http://host:port`, without a trailing slash.
    let base: String
    let httpClient: HTTPClient
    let retries: RetryPolicy
    let requestTimeout: Duration

    /// - Parameters:
    ///   - baseURL: the gateway's address, `RIAL_PUBLIC_URL`.
    ///   - requestTimeout: for each attempt, from its start to the response head; one with a body has the time beside it that the server
    ///     waits for the body.
    public init(
        baseURL: URL, httpClient: HTTPClient = Connections.shared, retries: RetryPolicy = .standard, requestTimeout: Duration = .seconds(60)
    ) {
        var base = baseURL.absoluteString
        while base.hasSuffix("/") { base.removeLast() }
        self.base = base
        self.httpClient = httpClient
        self.retries = retries
        self.requestTimeout = requestTimeout
    }

    /// The same client with another retry policy.
    public func with(retries: RetryPolicy) -> APIClient {
        APIClient(base: base, httpClient: httpClient, retries: retries, requestTimeout: requestTimeout)
    }

    /// The same client with another connection pool.
    public func with(httpClient: HTTPClient) -> APIClient {
        APIClient(base: base, httpClient: httpClient, retries: retries, requestTimeout: requestTimeout)
    }

    private init(base: String, httpClient: HTTPClient, retries: RetryPolicy, requestTimeout: Duration) {
        self.base = base
        self.httpClient = httpClient
        self.retries = retries
        self.requestTimeout = requestTimeout
    }

    /// Makes one attempt and returns the envelope's `data`.
    func call(
        _ method: HTTPMethod, _ path: String, headers: [(name: String, value: String)] = [], body: (any HTTPBody)? = nil
    ) async throws -> JSONValue {
        var request = request(method, path, headers: headers)
        request.body = body.map { .streaming($0) }
        let response = try await execute(request, timeout: body.map { timeout(sending: $0.contentLength) } ?? requestTimeout)
        let bytes = try await collect(response)
        let envelope = try? JSONValue(parsing: bytes)
        guard (200..<300).contains(response.status.code) else { throw Self.failure(response, envelope) }
        guard let data = envelope?["data"] else {
            throw APIFailure(.invalidResponse, "\(base)\(path) is not an API of rial.: is the address right?")
        }
        return data
    }

    /// SPEC §2: the server waits 15 s for a body, and a second for each 50 kB of it, at most ten minutes.
    private func timeout(sending bytes: Int64) -> Duration { min(requestTimeout + .seconds(15 + bytes / 50_000), .seconds(11 * 60)) }

    func request(_ method: HTTPMethod, _ path: String, headers: [(name: String, value: String)]) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: base + path)
        request.method = method
        request.headers.add(name: "accept", value: "application/json")
        request.headers.add(name: "user-agent", value: "rial-cli/\(Product.version)")
        for header in headers { request.headers.replaceOrAdd(name: header.name, value: header.value) }
        return request
    }

    /// - Throws: ``APIFailure`` `unreachable`; errors of reading an uploaded file are passed on.
    func execute(_ request: HTTPClientRequest, timeout: Duration) async throws -> HTTPClientResponse {
        do {
            return try await httpClient.execute(request, timeout: .seconds(timeout.components.seconds))
        } catch let failure as BodyReadFailure {
            throw failure.cause
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            try Task.checkCancellation()
            throw APIFailure(.unreachable, "\(base) could not be reached: \(error)")
        }
    }

    func collect(_ response: HTTPClientResponse) async throws -> [UInt8] {
        do {
            return Array(buffer: try await response.body.collect(upTo: Self.maximumResponseBytes))
        } catch is CancellationError {
            throw CancellationError()
        } catch is NIOTooManyBytesError {
            throw APIFailure(.invalidResponse, "the response of \(base) is too long")
        } catch {
            throw APIFailure(.unreachable, "the response of \(base) was cut short: \(error)")
        }
    }

    /// The failure described by an error response, with or without an envelope.
    static func failure(_ response: HTTPClientResponse, _ envelope: JSONValue?) -> APIFailure {
        let error = envelope?["error"]
        let seconds = response.headers.first(name: "retry-after").flatMap { Int($0) }.map { min(max($0, 0), 86_400) }
        return APIFailure(
            .refused, error?["message"]?.string ?? response.status.reasonPhrase, status: Int(response.status.code),
            serverCode: error?["code"]?.string, details: error?["details"],
            requestID: envelope?["meta"]?["request_id"]?.string ?? response.headers.first(name: "x-request-id"),
            retryAfter: seconds.map { .seconds($0) })
    }

    /// - Throws: ``APIFailure`` `invalidResponse`.
    func decode<T: Decodable>(_ type: T.Type, from data: JSONValue) throws -> T {
        do {
            return try WireJSON.decode(type, from: WireJSON.encode(data))
        } catch {
            throw APIFailure(.invalidResponse, "the response of \(base) cannot be read: \(error)")
        }
    }
}
