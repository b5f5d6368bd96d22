public import Foundation

/// What the upload's `metadata` part says (SPEC §2). Unknown fields are kept in the stored bytes, not here.
public struct CaptureMetadata: Sendable, Equatable {
    public let capturedAt: Date
    public let deviceModel: String
    public let photoHash: ContentDigest
    /// 1...1024 each.
    public let depthWidth: Int
    public let depthHeight: Int
    public let location: PreciseLocation?
    /// CBOR.
    public let assertion: [UInt8]?

    /// - Throws: ``MetadataError`` naming the field.
    public static func parse(_ bytes: [UInt8]) throws(MetadataError) -> CaptureMetadata {
        guard bytes.count <= SizeLimits.metadata else { throw MetadataError("metadata", "is larger than \(SizeLimits.metadata >> 10) KiB") }
        let reader = try MetadataReader(bytes)
        let dimensions = try reader.object("depth_map_dimensions")
        return CaptureMetadata(
            capturedAt: try reader.time("captured_at"), deviceModel: try reader.shortText("device_model"),
            photoHash: try reader.digest("photo_hash"), depthWidth: try dimensions.integer("width", in: 1...1024),
            depthHeight: try dimensions.integer("height", in: 1...1024), location: try reader.location(),
            assertion: try reader.base64("assertion"))
    }
}

/// Where the device says it was; for the owning device alone. Not checked to be on Earth: a check says so.
public struct PreciseLocation: Codable, Sendable, Equatable {
    /// Degrees, WGS 84.
    public let latitude: Double
    public let longitude: Double
    /// Metres.
    public let altitude: Double?
    public let accuracy: Double?

    public init(latitude: Double, longitude: Double, altitude: Double?, accuracy: Double?) {
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
        self.accuracy = accuracy
    }
}

/// What is wrong with one field of the metadata.
public struct MetadataError: Error, Sendable, Equatable, CustomStringConvertible {
    public let field: String
    public let problem: String
    public init(_ field: String, _ problem: String) {
        self.field = field
        self.problem = problem
    }
    public var description: String { "\(field) \(problem)" }
}
