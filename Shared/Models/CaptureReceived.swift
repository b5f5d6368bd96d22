import CaptureProtocol
import Foundation

/// An object in storage with what is known of its bytes.
public struct StoredMedia: Codable, Sendable, Hashable {
    /// The object key.
    public let key: String
    public let sha256: ContentDigest
    public let sizeBytes: Int64
    public let contentType: String

    public init(key: String, sha256: ContentDigest, sizeBytes: Int64, contentType: String) {
        self.key = key
        self.sha256 = sha256
        self.sizeBytes = sizeBytes
        self.contentType = contentType
    }

    enum CodingKeys: String, CodingKey {
        case key, sha256
        case sizeBytes = "size_bytes"
        case contentType = "content_type"
    }
}

/// The parts of an accepted upload as they lie under `incoming/{capture id}/`. Absent for hash-only captures.
public struct IntakeObjects: Codable, Sendable, Hashable {
    public let photo: StoredMedia?
    public let depth: StoredMedia?
    /// SHA-256 of the photo's bytes followed by the depth part's, if the upload's order let it be computed on the way.
    public let photoThenDepth: ContentDigest?

    public init(photo: StoredMedia?, depth: StoredMedia?, photoThenDepth: ContentDigest?) {
        self.photo = photo
        self.depth = depth
        self.photoThenDepth = photoThenDepth
    }

    enum CodingKeys: String, CodingKey {
        case photo, depth
        case photoThenDepth = "photo_then_depth_sha256"
    }
}

/// A capture was accepted (201 answered or about to be): what is to be looked at is in its row, as ``CaptureAnnouncement``.
public struct CaptureReceived: Event, Equatable {
    public static let topic = Topic.captureReceived
    public let captureID: CaptureID
    public let type: CaptureType
    public let mode: CaptureMode
    public var partitionKey: String { captureID.description }

    public init(captureID: CaptureID, type: CaptureType, mode: CaptureMode) {
        self.captureID = captureID
        self.type = type
        self.mode = mode
    }

    public init(_ announcement: CaptureAnnouncement) {
        self.init(captureID: announcement.captureID, type: announcement.type, mode: announcement.mode)
    }

    enum CodingKeys: String, CodingKey {
        case captureID = "capture_id"
        case type, mode
    }
}

/// What was accepted: everything a handler needs, or where to find it. In `captures.announcement`, written once by `gateway`.
public struct CaptureAnnouncement: Codable, Sendable, Equatable {
    public let captureID: CaptureID
    public let deviceID: DeviceID
    public let type: CaptureType
    public let mode: CaptureMode
    public let intake: IntakeObjects
    /// The metadata part, byte for byte.
    public let metadata: Base64Bytes
    /// App Attest assertion (CBOR), absent if the client sent none.
    public let assertion: Base64Bytes?
    public let depthWidth: Int
    public let depthHeight: Int
    public let receivedAt: Date

    public init(
        captureID: CaptureID, deviceID: DeviceID, type: CaptureType, mode: CaptureMode, intake: IntakeObjects,
        metadata: [UInt8], assertion: [UInt8]?, depthWidth: Int, depthHeight: Int, receivedAt: Date
    ) {
        self.captureID = captureID
        self.deviceID = deviceID
        self.type = type
        self.mode = mode
        self.intake = intake
        self.metadata = Base64Bytes(metadata)
        self.assertion = assertion.map(Base64Bytes.init)
        self.depthWidth = depthWidth
        self.depthHeight = depthHeight
        self.receivedAt = receivedAt
    }

    enum CodingKeys: String, CodingKey {
        case captureID = "capture_id"
        case deviceID = "device_id"
        case type, mode, intake, metadata, assertion
        case depthWidth = "depth_width"
        case depthHeight = "depth_height"
        case receivedAt = "received_at"
    }
}
