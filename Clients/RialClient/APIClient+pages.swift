import AsyncHTTPClient
public import CaptureProtocol
import NIOHTTP1

extension APIClient {
    /// Reads the page of a capture like a browser, with gzip if the gateway compresses it.
    /// - Throws: ``APIFailure`` without a response, or if its status is not 200.
    public func page(of id: CaptureID) async throws -> [UInt8] {
        let headers = [("accept", "text/html"), ("accept-encoding", "gzip")]
        let response = try await execute(request(.GET, PagePath.capture(id), headers: headers), timeout: requestTimeout)
        let bytes = try await collect(response)
        guard response.status == .ok else { throw Self.failure(response, nil) }
        return bytes
    }
}
