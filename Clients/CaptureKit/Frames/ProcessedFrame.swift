public import CaptureProtocol
public import Foundation

/// A capture ready to be stored: what is uploaded, and the facts that its metadata state.
public struct ProcessedFrame: Sendable, Equatable {
    /// JPEG with its EXIF.
    public let photo: [UInt8]
    /// Little-endian float32, row-major, as gzip (RFC 1952).
    public let depth: [UInt8]
    /// The size of the depth map, in pixels.
    public let depthWidth: Int
    public let depthHeight: Int
    public let capturedAt: Date
    public let deviceModel: String
    /// `nil` if no place is stated.
    public let location: PreciseLocation?
    /// 16 random bytes for the metadata (``CaptureNonce``).
    public let nonce: [UInt8]
    /// As the app gave it; not uploaded.
    public let thumbnail: [UInt8]?

    /// The `metadata` part of the upload (SPEC §2), always the same bytes for the same facts.
    /// - Parameter photoHash: SHA-256 of ``photo``, which whoever stores the photo computes in the same pass.
    /// - Throws: `EncodingError` if a number is not finite, which no frame of ``FrameProcessor`` has.
    public func metadata(photoHash: ContentDigest) throws -> [UInt8] {
        try WireJSON.encode(
            CaptureMetadata(
                capturedAt: capturedAt, deviceModel: deviceModel, photoHash: photoHash, depthWidth: depthWidth, depthHeight: depthHeight,
                location: location, nonce: nonce))
    }
}
