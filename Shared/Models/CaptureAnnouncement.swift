public import CaptureProtocol
public import Foundation

/// An accepted capture: everything that handlers need, or where to find it. Stored in `captures.announcement`, written once by `gateway`.
public struct CaptureAnnouncement: Sendable, Equatable {
    public let captureID: CaptureID
    public let deviceID: DeviceID
    public let content: CaptureContent
    /// The metadata part, or the payload of a hash-only capture, byte for byte.
    public let metadata: [UInt8]
    /// App Attest assertion (CBOR), absent if the client sent none.
    public let assertion: [UInt8]?
    public let receivedAt: Date

    public init(
        captureID: CaptureID, deviceID: DeviceID, content: CaptureContent, metadata: [UInt8], assertion: [UInt8]?, receivedAt: Date
    ) {
        self.captureID = captureID
        self.deviceID = deviceID
        self.content = content
        self.metadata = metadata
        self.assertion = assertion
        self.receivedAt = receivedAt
    }
}

/// The content of an upload by kind, as far as handlers need it. Switches over it have no `default`.
public enum CaptureContent: Sendable, Equatable {
    case photo(PhotoContent)
    /// Read from the metadata, which are the payload.
    case hashOnly(HashOnlyPayload)
    case video(VideoContent)

    public var kind: CaptureKind {
        switch self {
        case .photo: .photo
        case .hashOnly(let payload): payload.kind
        case .video: .video
        }
    }

    /// SHA-256 of the original, which is not stored of a hash-only capture.
    public var mediaHash: ContentDigest {
        switch self {
        case .photo(let content): content.photo.sha256
        case .hashOnly(let payload): payload.mediaHash
        case .video(let content): content.video.sha256
        }
    }

    /// What the device sent to be kept, apart from the metadata, by name.
    public var uploads: [(media: StoredMedia, name: MediaName)] {
        switch self {
        case .photo(let content): [(content.photo, .original), (content.depth, .depth)]
        case .hashOnly: []
        case .video(let content): [(content.video, .originalVideo), (content.depth, .depth), (content.hashChain, .hashChain)]
        }
    }
}

/// The parts of a photo capture.
public struct PhotoContent: Sendable, Equatable {
    public let photo: StoredMedia
    public let depth: StoredMedia
    /// SHA-256 of the photo's bytes followed by the depth part's; `nil` if the order of the parts did not allow computing it on the way.
    public let photoThenDepth: ContentDigest?
    /// 1...1024 each.
    public let depthWidth: Int
    public let depthHeight: Int

    public init(photo: StoredMedia, depth: StoredMedia, photoThenDepth: ContentDigest?, depthWidth: Int, depthHeight: Int) {
        self.photo = photo
        self.depth = depth
        self.photoThenDepth = photoThenDepth
        self.depthWidth = depthWidth
        self.depthHeight = depthHeight
    }
}

/// The parts of a video capture (SPEC §10.1).
public struct VideoContent: Sendable, Equatable {
    public let video: StoredMedia
    public let depth: StoredMedia
    public let hashChain: StoredMedia
    /// Where the payload of `moov` lies in the video.
    public let moov: Range<Int64>

    public init(video: StoredMedia, depth: StoredMedia, hashChain: StoredMedia, moov: Range<Int64>) {
        self.video = video
        self.depth = depth
        self.hashChain = hashChain
        self.moov = moov
    }
}

extension CaptureAnnouncement: Codable {
    private enum CodingKeys: String, CodingKey {
        case captureID = "capture_id"
        case deviceID = "device_id"
        case type, mode, intake, metadata, assertion
        case depthWidth = "depth_width"
        case depthHeight = "depth_height"
        case receivedAt = "received_at"
    }

    private enum IntakeKeys: String, CodingKey {
        case photo, depth, video
        case photoThenDepth = "photo_then_depth_sha256"
        case hashChain = "hash_chain"
        case moovOffset = "moov_offset"
        case moovLength = "moov_length"
    }

    /// - Throws: `DecodingError` for a kind that this version does not know; `HashOnlyError` for a payload that it would refuse.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let metadata = try container.decode(Base64Bytes.self, forKey: .metadata).bytes
        let content: CaptureContent
        switch try container.decodeKind(.type, .mode) {
        case .photo:
            let intake = try container.nestedContainer(keyedBy: IntakeKeys.self, forKey: .intake)
            content = .photo(
                PhotoContent(
                    photo: try intake.decode(StoredMedia.self, forKey: .photo), depth: try intake.decode(StoredMedia.self, forKey: .depth),
                    photoThenDepth: try intake.decodeIfPresent(ContentDigest.self, forKey: .photoThenDepth),
                    depthWidth: try container.decode(Int.self, forKey: .depthWidth),
                    depthHeight: try container.decode(Int.self, forKey: .depthHeight)))
        case .hashOnly, .hashOnlyVideo: content = .hashOnly(try HashOnlyPayload.parse(accepted: metadata))
        case .video:
            let intake = try container.nestedContainer(keyedBy: IntakeKeys.self, forKey: .intake)
            let offset = try intake.decode(Int64.self, forKey: .moovOffset)
            let (end, overflow) = offset.addingReportingOverflow(try intake.decode(Int64.self, forKey: .moovLength))
            guard !overflow, offset >= 0, end >= offset else {
                throw DecodingError.dataCorruptedError(forKey: .moovOffset, in: intake, debugDescription: "not a place in a file")
            }
            content = .video(
                VideoContent(
                    video: try intake.decode(StoredMedia.self, forKey: .video), depth: try intake.decode(StoredMedia.self, forKey: .depth),
                    hashChain: try intake.decode(StoredMedia.self, forKey: .hashChain), moov: offset..<end))
        }
        self.init(
            captureID: try container.decode(CaptureID.self, forKey: .captureID),
            deviceID: try container.decode(DeviceID.self, forKey: .deviceID), content: content,
            metadata: metadata,
            assertion: try container.decodeIfPresent(Base64Bytes.self, forKey: .assertion)?.bytes,
            receivedAt: try container.decode(Date.self, forKey: .receivedAt))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(captureID, forKey: .captureID)
        try container.encode(deviceID, forKey: .deviceID)
        try container.encode(content.kind.type, forKey: .type)
        try container.encode(content.kind.mode, forKey: .mode)
        switch content {
        case .photo(let content):
            var intake = container.nestedContainer(keyedBy: IntakeKeys.self, forKey: .intake)
            try intake.encode(content.photo, forKey: .photo)
            try intake.encode(content.depth, forKey: .depth)
            try intake.encodeIfPresent(content.photoThenDepth, forKey: .photoThenDepth)
            try container.encode(content.depthWidth, forKey: .depthWidth)
            try container.encode(content.depthHeight, forKey: .depthHeight)
        case .hashOnly: break
        case .video(let content):
            var intake = container.nestedContainer(keyedBy: IntakeKeys.self, forKey: .intake)
            try intake.encode(content.video, forKey: .video)
            try intake.encode(content.depth, forKey: .depth)
            try intake.encode(content.hashChain, forKey: .hashChain)
            try intake.encode(content.moov.lowerBound, forKey: .moovOffset)
            try intake.encode(content.moov.count, forKey: .moovLength)
        }
        try container.encode(Base64Bytes(metadata), forKey: .metadata)
        try container.encodeIfPresent(assertion.map(Base64Bytes.init), forKey: .assertion)
        try container.encode(receivedAt, forKey: .receivedAt)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a kind from its type and mode.
    func decodeKind(_ type: Key, _ mode: Key) throws -> CaptureKind {
        guard let kind = CaptureKind(type: try decode(CaptureType.self, forKey: type), mode: try decode(CaptureMode.self, forKey: mode))
        else { throw DecodingError.dataCorruptedError(forKey: type, in: self, debugDescription: "not a kind of capture") }
        return kind
    }
}
