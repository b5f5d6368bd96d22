public import CaptureProtocol
public import Foundation
public import Models

/// A photo capture as it is sent: its parts, byte for byte.
public struct CaptureUpload: Sendable {
    /// JPEG.
    public var photo: PartContent
    /// Little-endian float32, row-major, compressed as gzip, zlib or raw DEFLATE.
    public var depthMap: PartContent
    /// JSON; see ``CaptureDescription``.
    public var metadata: [UInt8]
    /// App Attest assertion (CBOR).
    public var assertion: [UInt8]?

    public init(photo: PartContent, depthMap: PartContent, metadata: [UInt8], assertion: [UInt8]?) {
        self.photo = photo
        self.depthMap = depthMap
        self.metadata = metadata
        self.assertion = assertion
    }

    /// The photo directly before the depth map, so that the server can hash both as one on the way.
    public var body: MultipartBody {
        var parts = [
            MultipartBody.Part(name: "photo", fileName: "photo.jpg", contentType: "image/jpeg", content: photo),
            .init(name: "depth_map", fileName: "depth.f32.gz", contentType: "application/octet-stream", content: depthMap),
            .init(name: "metadata", contentType: "application/json", content: .bytes(metadata)),
        ]
        if let assertion { parts.append(.init(name: "assertion", contentType: "application/cbor", content: .bytes(assertion))) }
        return MultipartBody(parts: parts)
    }
}

/// The `metadata` part of a capture (SPEC §2).
public struct CaptureDescription: Sendable, Encodable {
    public struct Dimensions: Sendable, Encodable {
        public let width: Int
        public let height: Int
    }

    /// Degrees; metres.
    public struct Location: Sendable, Equatable, Encodable {
        public let latitude: Double
        public let longitude: Double
        public let altitude: Double?
        public let accuracy: Double?

        public init(latitude: Double, longitude: Double, altitude: Double? = nil, accuracy: Double? = nil) {
            self.latitude = latitude
            self.longitude = longitude
            self.altitude = altitude
            self.accuracy = accuracy
        }
    }

    public let capturedAt: Date
    public let deviceModel: String
    public let photoHash: ContentDigest
    public let depthMapDimensions: Dimensions
    public let location: Location?

    public init(
        capturedAt: Date, deviceModel: String, photoHash: ContentDigest, depthWidth: Int, depthHeight: Int, location: Location?
    ) {
        self.capturedAt = capturedAt
        self.deviceModel = deviceModel
        self.photoHash = photoHash
        depthMapDimensions = Dimensions(width: depthWidth, height: depthHeight)
        self.location = location
    }

    /// The bytes to send and to sign.
    public func bytes() throws -> [UInt8] { try WireJSON.encode(self) }

    enum CodingKeys: String, CodingKey {
        case capturedAt = "captured_at"
        case deviceModel = "device_model"
        case photoHash = "photo_hash"
        case depthMapDimensions = "depth_map_dimensions"
        case location
    }
}

/// The server has taken a capture and answers for it from now on.
public struct AcceptedCapture: Sendable, Equatable, Decodable {
    public let captureID: CaptureID
    public let status: CaptureStatus
    public let verificationURL: String

    enum CodingKeys: String, CodingKey {
        case captureID = "capture_id"
        case status
        case verificationURL = "verification_url"
    }
}
