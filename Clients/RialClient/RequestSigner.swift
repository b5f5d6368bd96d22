public import CaptureProtocol

/// The parts of a request that its device's signature covers (SPEC §2, request authentication).
public struct SignableRequest: Sendable {
    public let method: String
    /// With the query.
    public let path: String
    /// Unix time.
    public let timestampMilliseconds: Int64
    public let bodyDigest: ContentDigest

    public init(method: String, path: String, timestampMilliseconds: Int64, bodyDigest: ContentDigest) {
        self.method = method
        self.path = path
        self.timestampMilliseconds = timestampMilliseconds
        self.bodyDigest = bodyDigest
    }
}

/// Signs requests for a registered device.
public protocol RequestSigner: Sendable {
    /// The `X-Device-…` headers.
    func headers(for request: SignableRequest) async throws -> [(name: String, value: String)]
}
