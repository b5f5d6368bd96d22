public import Foundation

/// What is fixed when the recording of a video begins (SPEC §10.1). Its bytes are the beginning of the chain, so every checkpoint signs it.
public struct VideoRecording: Sendable, Equatable {
    public let id: UUID
    public let startedAt: Date
    public let deviceModel: String
    public let osVersion: String?
    public let location: PreciseLocation?

    public init(id: UUID, startedAt: Date, deviceModel: String, osVersion: String?, location: PreciseLocation?) {
        self.id = id
        self.startedAt = startedAt
        self.deviceModel = deviceModel
        self.osVersion = osVersion
        self.location = location
    }

    enum Keys: String, CodingKey {
        case id
        case startedAt = "started_at"
        case deviceModel = "device_model"
        case osVersion = "os_version"
        case location
    }

    /// - Throws: ``MetadataError`` naming the field.
    public static func parse(_ bytes: [UInt8]) throws(MetadataError) -> VideoRecording {
        guard bytes.count <= SizeLimits.recording else {
            throw MetadataError("recording", "is larger than \(SizeLimits.recording >> 10) KiB")
        }
        let reader = try MetadataReader(bytes, document: "recording", path: "recording.")
        guard let id = UUID(uuidString: try reader.text(Keys.id.rawValue)) else { throw reader.error(Keys.id.rawValue, "is not a UUID") }
        return VideoRecording(
            id: id, startedAt: try reader.time(Keys.startedAt.rawValue), deviceModel: try reader.shortText(Keys.deviceModel.rawValue),
            osVersion: try reader.optionalShortText(Keys.osVersion.rawValue), location: try reader.location(Keys.location.rawValue))
    }
}

extension VideoRecording: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Keys.self)
        try fields.encode(id.uuidString.lowercased(), forKey: .id)
        try fields.encode(Timestamp.format(startedAt), forKey: .startedAt)
        try fields.encode(deviceModel, forKey: .deviceModel)
        try fields.encodeIfPresent(osVersion, forKey: .osVersion)
        try fields.encodeIfPresent(location, forKey: .location)
    }
}
