import AsyncHTTPClient
import NIOHTTP1
public import CaptureProtocol

extension APIClient {
    /// The page of a capture as a browser gets it, compressed by gzip if the gateway does so.
    /// - Throws: ``APIFailure`` without a response, or if its status is not 200.
    public func page(of id: CaptureID) async throws -> [UInt8] {
        let headers = [("accept", "text/html"), ("accept-encoding", "gzip")]
        let response = try await execute(request(.GET, "/verify/\(id)", headers: headers), timeout: requestTimeout)
        let bytes = try await collect(response)
        guard response.status == .ok else { throw Self.failure(response, nil) }
        return bytes
    }
}
