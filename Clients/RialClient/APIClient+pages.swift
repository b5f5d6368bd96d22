import AsyncHTTPClient
import NIOHTTP1
public import CaptureProtocol

extension APIClient {
    /// The page of a capture as a browser gets it: compressed by gzip, where the gateway does so.
    /// - Throws: ``APIFailure`` if it does not answer, or with anything but 200.
    public func page(of id: CaptureID) async throws -> [UInt8] {
        let headers = [("accept", "text/html"), ("accept-encoding", "gzip")]
        let response = try await execute(request(.GET, "/verify/\(id)", headers: headers), timeout: requestTimeout)
        let bytes = try await collect(response)
        guard response.status == .ok else { throw Self.failure(response, nil) }
        return bytes
    }
}
