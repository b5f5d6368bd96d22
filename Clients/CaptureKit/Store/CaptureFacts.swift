public import CaptureProtocol
public import Foundation

/// What is known of a capture beyond its state. Sealed in the database, since times, models and results are nobody else's business.
public struct CaptureFacts: Sendable, Equatable, Codable {
    public let capturedAt: Date
    public let photoDigest: ContentDigest
    public let depthDigest: ContentDigest
    public let metadataDigest: ContentDigest
    /// The result of the latest attempt, if it failed.
    public var failure: CaptureFailure?
    /// The page that verifies it.
    public var link: String?
    /// By the device's clock.
    public var uploadedAt: Date?
    /// Once the server has decided.
    public var confidence: String?
    /// Whether the server reported the capture as failed.
    public var failedOnServer: Bool?
    /// Whether a person decided to send it without its assertion.
    public var goesWithoutAssertion = false

    public init(capturedAt: Date, photoDigest: ContentDigest, depthDigest: ContentDigest, metadataDigest: ContentDigest) {
        self.capturedAt = capturedAt
        self.photoDigest = photoDigest
        self.depthDigest = depthDigest
        self.metadataDigest = metadataDigest
    }

    /// What the assertion covers.
    public var digests: CaptureStore.Digests { .init(photo: photoDigest, depth: depthDigest, metadata: metadataDigest) }

    /// Whether the server's result is known.
    public var isFinal: Bool { confidence != nil || failedOnServer == true }
}

/// Why an attempt failed, in words for a person and a stable code for programs.
public struct CaptureFailure: Sendable, Equatable, Codable {
    /// The server's code, such as `VALIDATION_ERROR`, or one of the library, such as `unreachable`.
    public let code: String
    public let message: String
    /// The server's details as JSON text, if any.
    public let details: String?

    public init(code: String, message: String, details: String? = nil) {
        self.code = code
        self.message = message
        self.details = details
    }
}
