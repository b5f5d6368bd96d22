public import AsyncHTTPClient
import Blocking
import Crypto
public import Foundation
public import Logging
public import Metrics
public import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Observability

/// A client of one bucket of an S3-compatible store, with path-style addresses.
///
/// Idempotent requests are tried up to three times, with backoff and jitter, while the store is unavailable.
public final class S3Client: DownloadStore {
    static let attempts = 3
    /// The limit for responses that are read whole: listings and errors.
    static let maximumAnswerBytes = 4 * 1024 * 1024
    let configuration: S3Configuration
    let signer: SigV4Signer
    let httpClient: HTTPClient
    private let logger: Logger
    let traffic: StorageTraffic

    /// - Parameter metrics: counts the bytes sent and received; by default the process's factory.
    public init(
        configuration: S3Configuration, httpClient: HTTPClient, logger: Logger, metrics: any MetricsFactory = MetricsSystem.factory
    ) {
        self.configuration = configuration
        signer = SigV4Signer(
            accessKeyID: configuration.accessKeyID, secretAccessKey: configuration.secretAccessKey, region: configuration.region)
        self.httpClient = httpClient
        self.logger = logger
        traffic = StorageTraffic(metrics)
    }

    public func put(_ key: String, bytes: [UInt8], contentType: String, sha256: [UInt8]?) async throws {
        try await put(key, buffer: ByteBuffer(bytes: bytes), contentType: contentType, sha256: sha256)
    }

    /// Like ``put(_:bytes:contentType:sha256:)``, but returns the object's attributes.
    /// - Throws: ``ObjectStorageError`` or `CancellationError`.
    @discardableResult
    public func put(_ key: String, buffer: ByteBuffer, contentType: String, sha256: [UInt8]? = nil) async throws -> StoredObject {
        let response = try await send(.put(key, body: buffer, contentType: contentType, sha256: sha256))
        try await response.answer()
        return StoredObject(
            key: key, sizeBytes: Int64(buffer.readableBytes), etag: response.headers.first(name: "etag") ?? "",
            contentType: contentType, lastModified: nil)
    }

    public func putAnswered(_ key: String, buffer: ByteBuffer, contentType: String) async throws -> Bool {
        var isAnswered = true
        let response = try await send(.put(key, body: buffer, contentType: contentType, sha256: nil)) { isAnswered = false }
        try await response.answer()
        return isAnswered
    }

    public func putStream(_ key: String, contentType: String, expecting: Int? = nil) -> S3Upload {
        S3Upload(client: self, key: key, contentType: contentType, expecting: expecting)
    }

    public func head(_ key: String) async throws -> StoredObject? {
        do {
            return try await headOnce(key)
        } catch let error as ObjectStorageError where error.code == .unexplained404 {
            // A response to HEAD has no body (RFC 9110 §9.3.2): only GET distinguishes a missing object from a missing bucket.
            do {
                _ = try await get(key, range: 0...0)
            } catch let error as ObjectStorageError where error.code == .notFound {
                return nil
            } catch let error as ObjectStorageError where error.code == .rangeNotSatisfiable {
                // It is there, and empty.
            }
            return try await headOnce(key)
        }
    }

    private func headOnce(_ key: String) async throws -> StoredObject {
        let response = try await send(S3Request(method: .HEAD, key: key))
        return StoredObject(
            key: key, sizeBytes: response.headers.first(name: "content-length").flatMap { Int64($0) } ?? 0,
            etag: response.headers.first(name: "etag") ?? "", contentType: response.headers.first(name: "content-type"),
            lastModified: nil)
    }

    public func copy(from source: String, to destination: String) async throws {
        let path = "/" + SigV4Signer.encode(configuration.bucket) + "/" + SigV4Signer.encode(source, keepingSlash: true)
        let response = try await send(S3Request(method: .PUT, key: destination, headers: [("x-amz-copy-source", path)]))
        let answer = try await response.answer()
        // A copy may fail after the status 200 was sent; the error is then in the body.
        if String(buffer: answer).contains("<Error>") { throw ObjectStorageError(.unavailable, "copy failed: \(source)") }
    }

    public func delete(_ keys: [String]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, key) in keys.enumerated() {
                if index >= Self.deletions { try await group.next() }
                group.addTask { try await self.delete(key) }
            }
            try await group.waitForAll()
        }
    }

    private func delete(_ key: String) async throws {
        do {
            let response = try await send(S3Request(method: .DELETE, key: key))
            try await response.answer()
        } catch let error as ObjectStorageError where error.code == .notFound {}
    }

    /// How many objects are deleted at a time.
    private static let deletions = 8

    /// Uses ListObjectsV2.
    /// - Throws: ``ObjectStorageError``, with `.invalidResponse` if the answer is not XML; `CancellationError`.
    public func list(prefix: String, continuation: String?) async throws -> ObjectPage {
        var query = [("list-type", "2"), ("prefix", prefix)]
        if let continuation { query.append(("continuation-token", continuation)) }
        let response = try await send(S3Request(method: .GET, query: query))
        return try S3XML.objectPage(Data(buffer: try await response.answer()))
    }

    /// Uses ListMultipartUploads.
    /// - Throws: as ``list(prefix:continuation:)``.
    public func unfinishedUploads(under prefix: String) async throws -> [UnfinishedUpload] {
        let response = try await send(S3Request(method: .GET, query: [("prefix", prefix), ("uploads", "")]))
        return try S3XML.uploads(Data(buffer: try await response.answer()))
    }

    /// Uses AbortMultipartUpload.
    /// - Throws: ``ObjectStorageError`` or `CancellationError`.
    public func end(_ upload: UnfinishedUpload) async throws {
        do {
            let response = try await send(S3Request(method: .DELETE, key: upload.key, query: [("uploadId", upload.id)]))
            try await response.answer()
        } catch let error as ObjectStorageError where [.notFound, .noSuchUpload].contains(error.code) {
            return
        }
    }

    public func presignedGet(
        _ key: String, expires: Duration, at time: Date, endpoint: URL? = nil, contentType: String? = nil
    ) -> String {
        let endpoint = endpoint ?? configuration.endpoint
        let host = S3Configuration.authority(of: endpoint)
        let path = "/" + SigV4Signer.encode(configuration.bucket) + "/" + SigV4Signer.encode(key, keepingSlash: true)
        let query = signer.presignedQuery(
            method: "GET", host: host, path: path, expires: Int(expires.components.seconds), at: time,
            adding: contentType.map { [("response-content-type", $0)] } ?? [])
        return "\(endpoint.scheme ?? "https")://\(host)\(path)?\(query)"
    }

    /// Checks that the bucket exists and is accessible.
    /// - Throws: ``ObjectStorageError``, with `.noSuchBucket` if there is none; `CancellationError`.
    public func checkBucket() async throws {
        _ = try await send(S3Request(method: .HEAD))
    }

    /// Creates the bucket unless it exists.
    /// - Throws: ``ObjectStorageError``.
    public func createBucketIfMissing() async throws {
        do {
            try await checkBucket()
        } catch let error as ObjectStorageError where error.code == .noSuchBucket {
            let response = try await send(S3Request(method: .PUT))
            try await response.answer()
        }
    }

    /// Sends the request; retries while the store is unavailable.
    /// - Parameter unanswered: called after each attempt without a response: the store may still do what was asked.
    func send(
        _ request: S3Request, isolation: isolated (any Actor)? = #isolation, unanswered: () -> Void = {}
    ) async throws -> HTTPClientResponse {
        try await retrying(unanswered: unanswered) { try await sendOnce(request) }
    }

    /// The result of `attempt`, which is repeated with backoff while the store is unavailable.
    /// - Parameter unanswered: as of ``send(_:isolation:unanswered:)``.
    func retrying<Result>(
        isolation: isolated (any Actor)? = #isolation, unanswered: () -> Void = {}, _ attempt: () async throws -> Result
    ) async throws -> Result {
        var backoff = Backoff(initial: 0.2, limit: 0.4)
        var attempts = 1
        while true {
            do {
                return try await attempt()
            } catch let error as ObjectStorageError where error.isUnreachable {
                unanswered()
                guard attempts < Self.attempts else { throw error }
                try await Task.sleep(for: backoff.next())
                attempts += 1
                logger.debug("object storage request repeated", metadata: ["error": "\(error)"])
            } catch is CancellationError {
                unanswered()
                throw CancellationError()
            }
        }
    }

    func sendOnce(_ request: S3Request) async throws -> HTTPClientResponse {
        try await recorded(request, status: \.status.code) { try await attempt(request) }
    }

    /// Makes an attempt and records it as a span, if spans are recorded.
    func recorded<Answer>(
        _ request: S3Request, status: (Answer) -> UInt, _ attempt: () async throws -> Answer
    ) async throws -> Answer {
        guard let span = ClientSpan.begin() else { return try await attempt() }
        do {
            let answer = try await attempt()
            span.end(request, status: status(answer))
            return answer
        } catch {
            span.end(request, error)
            throw error
        }
    }

    private func attempt(_ request: S3Request) async throws -> HTTPClientResponse {
        let response: HTTPClientResponse
        if let body = request.body { traffic.sent.increment(by: body.readableBytes) }
        do {
            response = try await httpClient.execute(
                request.signed(configuration, by: signer, at: Date()), timeout: TimeAmount(configuration.requestTimeout))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw ObjectStorageError(.unavailable, "\(request.method.rawValue) not answered: \(error)")
        }
        if (200..<300).contains(response.status.code) { return response }
        let body = (try? await response.body.collect(upTo: 64 * 1024)).map { Data(buffer: $0) } ?? Data()
        throw ObjectStorageError(request, status: response.status, code: S3XML.errorCode(body))
    }
}
