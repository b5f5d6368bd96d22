public import CaptureProtocol
public import Foundation

/// Signs requests for one registered device (SPEC §2, request authentication, version 2).
public protocol RequestSigner: Sendable {
    /// The `X-Device-…` headers.
    /// - Parameters:
    ///   - target: path with query, as sent.
    ///   - time: the server's time as far as it is known.
    func headers(method: String, target: String, bodyDigest: ContentDigest, at time: Date) async throws -> [(name: String, value: String)]
}
