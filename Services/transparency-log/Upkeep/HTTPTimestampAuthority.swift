import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Observability
import TransparencyLog

/// An authority behind an address (RFC 3161 §3.4).
struct HTTPTimestampAuthority: TimestampAuthorityConnection {
    let address: URL
    let client: HTTPClient
    /// For head and body of the answer together; the client's own timeout ends with the head.
    var timeout: Duration = .seconds(20)

    func stamp(_ query: [UInt8]) async throws -> [UInt8] {
        let answer = await withTimeout(timeout) { () async -> Result<[UInt8], any Error> in
            do { return .success(try await exchange(query)) } catch { return .failure(error) }
        }
        guard let answer else {
            try Task.checkCancellation()
            throw CheckpointStamper.Refused(description: "the time-stamp authority does not answer in time")
        }
        return try answer.get()
    }

    private func exchange(_ query: [UInt8]) async throws -> [UInt8] {
        var request = HTTPClientRequest(url: address.absoluteString)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/timestamp-query")
        request.body = .bytes(ByteBuffer(bytes: query))
        let response = try await client.execute(request, timeout: TimeAmount(timeout))
        guard response.status == .ok else {
            throw CheckpointStamper.Refused(description: "the time-stamp authority answers \(response.status.code)")
        }
        return Array(try await response.body.collect(upTo: TimestampAnswer.maximumBytes).readableBytesView)
    }
}
