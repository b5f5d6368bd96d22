import AsyncHTTPClient
import Crypto
import Foundation
import NIOCore
import NIOHTTP1

/// An unsigned request to the store.
struct S3Request {
    var method: HTTPMethod
    /// `nil` for the bucket itself.
    var key: String?
    var query: [(String, String)] = []
    var headers: [(String, String)] = []
    var body: ByteBuffer?
    /// Hex SHA-256 of the body if known, so that it is not hashed twice.
    var payloadHash: String?

    /// Stores a whole object (PutObject).
    /// - Parameter sha256: the body's digest, if it is at hand.
    static func put(_ key: String, body: ByteBuffer, contentType: String, sha256: [UInt8]?) -> S3Request {
        S3Request(
            method: .PUT, key: key, headers: [("content-type", contentType)], body: body,
            payloadHash: sha256.map { SigV4Signer.hex($0) })
    }

    /// - Parameter signer: of the configuration's region and keys.
    func signed(_ configuration: S3Configuration, by signer: SigV4Signer, at time: Date) -> HTTPClientRequest {
        let authority = S3Configuration.authority(of: configuration.endpoint)
        var path = "/" + SigV4Signer.encode(configuration.bucket)
        if let key { path += "/" + SigV4Signer.encode(key, keepingSlash: true) }
        let isEncrypted = configuration.endpoint.scheme == "https"
        let payload =
            payloadHash ?? body.map { body in
                isEncrypted ? SigV4Signer.unsignedPayload : Self.digest(of: body)
            } ?? SigV4Signer.emptyPayload
        let stamp = SigV4Signer.timestamp(time)
        let signedHeaders = headers + [("host", authority), ("x-amz-content-sha256", payload), ("x-amz-date", stamp)]
        let authorization = signer.authorization(
            method: method.rawValue, path: path, query: query, headers: signedHeaders, payloadHash: payload, stamp: stamp)
        let queryText = query.isEmpty ? "" : "?" + SigV4Signer.canonicalQuery(query)
        var request = HTTPClientRequest(url: "\(configuration.endpoint.scheme ?? "http")://\(authority)\(path)\(queryText)")
        request.method = method
        for (name, value) in signedHeaders where name != "host" { request.headers.add(name: name, value: value) }
        request.headers.add(name: "authorization", value: authorization)
        if let body { request.body = .bytes(body) }
        return request
    }

    private static func digest(of body: ByteBuffer) -> String {
        var hasher = SHA256()
        body.withUnsafeReadableBytes { hasher.update(bufferPointer: $0) }
        return SigV4Signer.hex(hasher.finalize())
    }
}
