public import CaptureKit
public import CaptureProtocol
import NIOHTTP1

extension APIClient {
    /// Looks up a file by its digest; `nil` if it is unknown. The file is not sent.
    public func verification(of digest: ContentDigest) async throws -> JSONValue? {
        do {
            return try await retries.run { try await call(.GET, "\(APIPath.hashVerification)/\(digest.hex)") }
        } catch let failure as APIFailure where failure.serverCode == ErrorCode.hashNotFound.rawValue {
            return nil
        }
    }

    /// Uploads a file, which the server does not store, and returns the result of its verification.
    public func verify(_ file: PartContent) async throws -> JSONValue {
        // The file's own name is not sent.
        let part = MultipartBody.Part(.file, fileName: "file", contentType: "application/octet-stream", content: file)
        let body = MultipartBody(boundary: MultipartBody.randomBoundary(), parts: [part])
        return try await retries.run {
            try await call(.POST, APIPath.fileVerification, headers: [("content-type", body.contentType)], body: body)
        }
    }
}
