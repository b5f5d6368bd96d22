import AsyncHTTPClient
public import CaptureKit
public import CaptureProtocol
import Foundation
import NIOHTTP1

extension APIClient {
    /// Sends a capture. After a transient failure it is signed again and retried. The server recognises a repeated upload, so a lost
    /// response does not cause a second capture.
    /// - Parameter isResumable: whether the server is to store the body so that the upload can be resumed (SPEC §2), as URLSession asks for
    ///   it.
    public func send(_ upload: CaptureUpload, signer: any RequestSigner, isResumable: Bool = false) async throws -> AcceptedCapture {
        let path = CaptureUpload.path
        let body = upload.body
        let digest = try await body.digest()
        let data = try await retries.run {
            var headers = try await signer.headers(method: "POST", target: path, bodyDigest: digest, at: Date())
            headers.append(("content-type", body.contentType))
            if isResumable { headers += [UploadFields.version, UploadFields.complete, UploadFields.representationDigest(digest)] }
            return try await call(.POST, path, headers: headers, body: body)
        }
        return try decode(AcceptedCapture.self, from: data)
    }

    /// Sends a capture in privacy mode, with the same retries: its body has no media.
    public func send(_ body: HashOnlyBody, signer: any RequestSigner) async throws -> AcceptedCapture {
        let path = CaptureUpload.path
        let bytes = body.bytes()
        let digest = ContentDigest(of: bytes)
        let data = try await retries.run {
            var headers = try await signer.headers(method: "POST", target: path, bodyDigest: digest, at: Date())
            headers.append(("content-type", "application/json"))
            return try await call(.POST, path, headers: headers, body: BytesBody(bytes))
        }
        return try decode(AcceptedCapture.self, from: data)
    }

    /// Withdraws a capture for good, as the device that sent it; again does nothing.
    /// - Throws: ``APIFailure`` with the code `FORBIDDEN` for another device's capture, `CAPTURE_NOT_FOUND` for an unknown one.
    public func withdraw(_ id: CaptureID, signer: any RequestSigner) async throws {
        let path = APIPath.capture(id)
        try await retries.run {
            let nothing = ContentDigest(of: [UInt8]())
            let signed = try await signer.headers(method: "DELETE", target: path, bodyDigest: nothing, at: Date())
            let response = try await execute(request(.DELETE, path, headers: signed), timeout: requestTimeout)
            let body = try await collect(response)
            guard response.status == .noContent else { throw Self.failure(response, try? JSONValue(parsing: body)) }
        }
    }

    /// Reads a capture's public form, or with `signer` the owner's form.
    public func capture(_ id: CaptureID, signer: (any RequestSigner)? = nil) async throws -> CaptureRecord {
        let path = APIPath.capture(id)
        let data = try await retries.run {
            guard let signer else { return try await call(.GET, path) }
            let nothing = ContentDigest(of: [UInt8]())
            return try await call(
                .GET, path, headers: try await signer.headers(method: "GET", target: path, bodyDigest: nothing, at: Date()))
        }
        return try CaptureRecord(json: data)
    }
}
