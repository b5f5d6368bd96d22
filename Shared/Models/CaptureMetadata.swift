import Foundation

/// What the upload's `metadata` part says (SPEC §2). Unknown fields are kept in the stored bytes, not here.
public struct CaptureMetadata: Sendable, Equatable {
    public static let maximumBytes = 64 * 1024
    public let capturedAt: Date
    public let deviceModel: String
    public let photoHash: Digest
    /// 1...1024 each.
    public let depthWidth: Int
    public let depthHeight: Int
    public let location: PreciseLocation?
    /// CBOR.
    public let assertion: [UInt8]?

    /// - Throws: ``MetadataError`` naming the field.
    public static func parse(_ bytes: [UInt8]) throws(MetadataError) -> CaptureMetadata {
        guard bytes.count <= maximumBytes else { throw MetadataError("metadata", "is larger than 64 KiB") }
        // Foundation's parser goes down one call a level.
        guard JSONNesting.depth(of: bytes) <= 32 else { throw MetadataError("metadata", "is nested too deep") }
        guard let object = try? JSONSerialization.jsonObject(with: Data(bytes)), let fields = object as? [String: Any] else {
            throw MetadataError("metadata", "is not a JSON object")
        }
        let reader = MetadataReader(fields: fields)
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

/// How deep JSON text nests, without parsing it.
enum JSONNesting {
    static func depth(of bytes: [UInt8]) -> Int {
        var depth = 0
        var deepest = 0
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if isInString {
                if isEscaped { isEscaped = false } else if byte == 0x5c { isEscaped = true } else if byte == 0x22 { isInString = false }
                continue
            }
            switch byte {
            case 0x22: isInString = true
            case 0x5b, 0x7b:
                depth += 1
                deepest = max(deepest, depth)
            case 0x5d, 0x7d: depth -= 1
            default: break
            }
        }
        return deepest
    }
}
