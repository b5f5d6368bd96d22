public import CaptureProtocol
public import Foundation

/// A photo with its depth, to be added to the store.
public protocol CapturedPhoto: Sendable {
    /// JPEG with its EXIF.
    var photo: [UInt8] { get }
    /// Little-endian float32, row-major, gzip.
    var depth: [UInt8] { get }
    /// JPEG, made by the app; `nil` for none.
    var thumbnail: [UInt8]? { get }
    var capturedAt: Date { get }

    /// The JSON of `CaptureMetadata` (SPEC §2).
    func metadata(photoHash: ContentDigest) throws -> [UInt8]
}

extension ProcessedFrame: CapturedPhoto {}
