public import CaptureKit
public import CaptureProtocol
import Foundation
import NIOHTTP1

extension APIClient {
    /// Sends a video. After a transient failure it is signed again and retried; the server recognises a repeated upload.
    /// - Parameter isResumable: whether the server is to store the body so that the upload can be resumed (SPEC §2).
    public func send(_ upload: VideoUpload, signer: any RequestSigner, isResumable: Bool = false) async throws -> AcceptedCapture {
        let body = upload.body
        let digest = try await body.digest()
        let data = try await retries.run {
            var headers = try await signer.headers(method: "POST", target: VideoUpload.path, bodyDigest: digest, at: Date())
            headers.append(("content-type", body.contentType))
            if isResumable { headers += [UploadFields.version, UploadFields.complete, UploadFields.representationDigest(digest)] }
            return try await call(.POST, VideoUpload.path, headers: headers, body: body)
        }
        return try decode(AcceptedCapture.self, from: data)
    }
}
