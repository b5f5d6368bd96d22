import NIOHTTP1
import AsyncHTTPClient
public import CaptureProtocol
import Foundation

extension APIClient {
    /// Sends a capture. After a transient failure it is signed again and retried. The server recognises a repeated upload, so a lost
    /// response does not cause a second capture.
    public func send(_ upload: CaptureUpload, signer: any RequestSigner) async throws -> AcceptedCapture {
        let path = "/api/v1/captures"
        let body = upload.body
        let digest = try body.digest()
        let data = try await retries.run {
            var headers = try await signer.headers(for: signable("POST", path, digest))
            headers.append(("content-type", body.contentType))
            return try await call(.POST, path, headers: headers, body: .stream(body, length: .known(body.contentLength)))
        }
        return try decode(AcceptedCapture.self, from: data)
    }

    /// Reads a capture's public form, or with `signer` the owner's form.
    public func capture(_ id: CaptureID, signer: (any RequestSigner)? = nil) async throws -> CaptureRecord {
        let path = "/api/v1/captures/\(id)"
        let data = try await retries.run {
            guard let signer else { return try await call(.GET, path) }
            let nothing = try PartContent.digest(of: [])
            return try await call(.GET, path, headers: try await signer.headers(for: signable("GET", path, nothing)))
        }
        return try CaptureRecord(json: data)
    }

    private func signable(_ method: String, _ path: String, _ digest: ContentDigest) -> SignableRequest {
        SignableRequest(
            method: method, path: path, timestampMilliseconds: Int64(Date().timeIntervalSince1970 * 1000), bodyDigest: digest)
    }
}
