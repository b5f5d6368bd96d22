public import Foundation

/// The `metadata` part of an upload (SPEC §2): the device writes it, the server reads it. Unknown fields are kept in the stored bytes, not
/// here.
public struct CaptureMetadata: Sendable, Equatable {
    /// Pixels of each side of a depth map.
    public static let depthSides = 1...1024

    public let capturedAt: Date
    public let deviceModel: String
    public let photoHash: ContentDigest
    /// In ``depthSides``, like the height.
    public let depthWidth: Int
    public let depthHeight: Int
    public let location: PreciseLocation?
    /// CBOR.
    public let assertion: [UInt8]?
    /// Random bytes that the device adds, so that nobody can find out the rest from the digest by trying. Not read: `nil` once parsed.
    public let nonce: [UInt8]?

    public init(
        capturedAt: Date, deviceModel: String, photoHash: ContentDigest, depthWidth: Int, depthHeight: Int, location: PreciseLocation?,
        assertion: [UInt8]? = nil, nonce: [UInt8]? = nil
    ) {
        self.capturedAt = capturedAt
        self.deviceModel = deviceModel
        self.photoHash = photoHash
        self.depthWidth = depthWidth
        self.depthHeight = depthHeight
        self.location = location
        self.assertion = assertion
        self.nonce = nonce
    }

    enum Keys: String, CodingKey {
        case capturedAt = "captured_at"
        case deviceModel = "device_model"
        case photoHash = "photo_hash"
        case dimensions = "depth_map_dimensions"
        case location, assertion, nonce
    }

    enum DimensionKeys: String, CodingKey { case width, height }

    /// - Throws: ``MetadataError`` naming the field.
    public static func parse(_ bytes: [UInt8]) throws(MetadataError) -> CaptureMetadata {
        guard bytes.count <= SizeLimits.metadata else {
            throw MetadataError(part: .metadata, "is larger than \(SizeLimits.metadata >> 10) KiB")
        }
        let reader = try MetadataReader(bytes)
        let dimensions = try reader.object(Keys.dimensions.rawValue)
        return CaptureMetadata(
            capturedAt: try reader.time(Keys.capturedAt.rawValue), deviceModel: try reader.shortText(Keys.deviceModel.rawValue),
            photoHash: try reader.digest(Keys.photoHash.rawValue),
            depthWidth: try dimensions.integer(DimensionKeys.width.rawValue, in: depthSides),
            depthHeight: try dimensions.integer(DimensionKeys.height.rawValue, in: depthSides),
            location: try reader.location(Keys.location.rawValue), assertion: try reader.base64(Keys.assertion.rawValue))
    }
}

extension CaptureMetadata {
    /// Whether the depth map is shaped as a LiDAR sensor's: landscape, 4:3. No more than one shape of a number of values is.
    public var hasSensorShape: Bool { Self.isSensorShape(width: depthWidth, height: depthHeight) }

    /// ``hasSensorShape`` for a depth map of which only the accepted dimensions are at hand.
    public static func isSensorShape(width: Int, height: Int) -> Bool { width * 3 == height * 4 }
}

extension CaptureMetadata: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Keys.self)
        try fields.encode(Timestamp.format(capturedAt), forKey: .capturedAt)
        try fields.encode(deviceModel, forKey: .deviceModel)
        try fields.encode(photoHash, forKey: .photoHash)
        var dimensions = fields.nestedContainer(keyedBy: DimensionKeys.self, forKey: .dimensions)
        try dimensions.encode(depthWidth, forKey: .width)
        try dimensions.encode(depthHeight, forKey: .height)
        try fields.encodeIfPresent(location, forKey: .location)
        try fields.encodeIfPresent(assertion.map(Base64Bytes.init), forKey: .assertion)
        try fields.encodeIfPresent(nonce.map(Base64Bytes.init), forKey: .nonce)
    }
}

/// The precise location that the device reported, which only its owner sees. It may not be on Earth: the location check detects that.
public struct PreciseLocation: Codable, Sendable, Equatable {
    /// Degrees, WGS 84.
    public let latitude: Double
    public let longitude: Double
    /// Metres.
    public let altitude: Double?
    public let accuracy: Double?

    public init(latitude: Double, longitude: Double, altitude: Double? = nil, accuracy: Double? = nil) {
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
    /// What is wrong with a part as a whole.
    public init(part: UploadPart, _ problem: String) { self.init(part.rawValue, problem) }
    /// Whether it is the assertion, for which the server has an error code of its own.
    public var isOfAssertion: Bool { field == CaptureMetadata.Keys.assertion.rawValue }
    public var description: String { "\(field) \(problem)" }
}
