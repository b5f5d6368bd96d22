import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TransparencyLog

/// An authority behind an address (RFC 3161 §3.4).
struct HTTPTimestampAuthority: TimestampAuthorityConnection {
    let address: URL
    let client: HTTPClient

    func stamp(_ query: [UInt8]) async throws -> [UInt8] {
        var request = HTTPClientRequest(url: address.absoluteString)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/timestamp-query")
        request.body = .bytes(ByteBuffer(bytes: query))
        let response = try await client.execute(request, timeout: .seconds(20))
        guard response.status == .ok else {
            throw CheckpointStamper.Refused(description: "the time-stamp authority answers \(response.status.code)")
        }
        return Array(try await response.body.collect(upTo: TimestampAnswer.maximumBytes).readableBytesView)
    }
}
