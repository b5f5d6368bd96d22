import AsyncHTTPClient
public import CaptureKit
public import CaptureProtocol
import Foundation
public import NIOCore
import NIOHTTP1

extension APIClient {
    /// Reads the evidence bundle of a capture, or with `signer` the owner's. It may be large, so it comes in pieces.
    /// - Parameters:
    ///   - hasMedia: whether the published photo or video is to be in it.
    ///   - write: takes the pieces in order, from the beginning again if an attempt failed.
    ///   - restart: called before each attempt.
    /// - Throws: ``APIFailure`` with the code `NOT_LOGGED_YET` if there is none yet; what `write` throws.
    public func bundle(
        of id: CaptureID, hasMedia: Bool, signer: (any RequestSigner)? = nil, restart: () throws -> Void,
        write: (ByteBuffer) throws -> Void
    ) async throws {
        let path = APIPath.bundle(of: id) + (hasMedia ? "?media=1" : "")
        try await retries.run {
            let nothing = ContentDigest(of: [UInt8]())
            let headers = try await signer?.headers(method: "GET", target: path, bodyDigest: nothing, at: Date()) ?? []
            let response = try await execute(request(.GET, path, headers: headers), timeout: requestTimeout)
            guard response.status == .ok else { throw Self.failure(response, try? JSONValue(parsing: try await collect(response))) }
            try restart()
            var body = response.body.makeAsyncIterator()
            while let piece = try await next(&body) { try write(piece) }
        }
    }

    private func next(_ body: inout HTTPClientResponse.Body.AsyncIterator) async throws -> ByteBuffer? {
        do {
            return try await body.next()
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw APIFailure(.unreachable, "the response of \(base) was cut short: \(error)")
        }
    }
}
