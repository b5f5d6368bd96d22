public import Foundation

/// What a device signs and sends of a capture in privacy mode instead of its media (SPEC §9). Its bytes are what the hardware signs; they
/// are stored and passed on as they are.
///
/// The device makes it with ``init(mediaHash:facts:sharing:depth:)``, which leaves out what the flags keep back; the server reads it with
/// ``parse(_:)``, which refuses every member beyond them.
public struct HashOnlyPayload: Sendable, Equatable {
    public static let version = 1

    /// SHA-256 of the file as its owner keeps it.
    public let mediaHash: ContentDigest
    public let flags: MetadataFlags
    public let capturedAt: SharedTime
    /// In multiples of 0.01 without altitude and accuracy, if the flag says `coarse`.
    public let location: PreciseLocation?
    public let deviceModel: String?
    public let osVersion: String?
    public let appVersion: String?
    /// The depth of a photo; `nil` for a video, and if the device has no depth map of the capture.
    public let depth: SignedDepth?
    /// `nil` for a photo.
    public let video: SignedVideo?

    public var kind: CaptureKind { video == nil ? .hashOnly : .hashOnlyVideo }

    /// What the device knows about a capture, of which the flags share a part.
    public struct Facts: Sendable, Equatable {
        public var capturedAt: Date
        /// `nil` without a fix.
        public var location: PreciseLocation?
        /// Marketing name or hardware identifier.
        public var deviceModel: String
        public var osVersion: String?
        public var appVersion: String?

        public init(
            capturedAt: Date, location: PreciseLocation?, deviceModel: String, osVersion: String? = nil, appVersion: String? = nil
        ) {
            self.capturedAt = capturedAt
            self.location = location
            self.deviceModel = deviceModel
            self.osVersion = osVersion
            self.appVersion = appVersion
        }
    }

    /// Takes over what the flags share, rounded where they say so.
    public init(mediaHash: ContentDigest, facts: Facts, sharing flags: MetadataFlags, depth: SignedDepth?) {
        self.init(mediaHash: mediaHash, facts: facts, sharing: flags, depth: depth, video: nil)
    }

    /// The payload of a video; `video` has its depth, too.
    public init(mediaHash: ContentDigest, facts: Facts, sharing flags: MetadataFlags, video: SignedVideo) {
        self.init(mediaHash: mediaHash, facts: facts, sharing: flags, depth: nil, video: video)
    }

    private init(mediaHash: ContentDigest, facts: Facts, sharing flags: MetadataFlags, depth: SignedDepth?, video: SignedVideo?) {
        self.init(
            mediaHash: mediaHash, flags: flags, capturedAt: SharedTime(facts.capturedAt, flags.timestamp),
            location: facts.location.flatMap { $0.shared(flags.location) }, deviceModel: flags.device == .none ? nil : facts.deviceModel,
            osVersion: flags.device == .full ? facts.osVersion : nil, appVersion: flags.device == .full ? facts.appVersion : nil,
            depth: depth, video: video)
    }

    init(
        mediaHash: ContentDigest, flags: MetadataFlags, capturedAt: SharedTime, location: PreciseLocation?, deviceModel: String?,
        osVersion: String?, appVersion: String?, depth: SignedDepth?, video: SignedVideo?
    ) {
        self.mediaHash = mediaHash
        self.flags = flags
        self.capturedAt = capturedAt
        self.location = location
        self.deviceModel = deviceModel
        self.osVersion = osVersion
        self.appVersion = appVersion
        self.depth = depth
        self.video = video
    }
}

extension PreciseLocation {
    /// The place as a flag shares it.
    func shared(_ flag: MetadataFlags.Location) -> PreciseLocation? {
        switch flag {
        case .none: nil
        case .coarse: PreciseLocation(latitude: Self.coarse(latitude), longitude: Self.coarse(longitude))
        case .precise: self
        }
    }

    /// The nearest multiple of 0.01, which is about a kilometre. Adding 0 makes -0, which would tell the hemisphere, 0.
    private static func coarse(_ degrees: Double) -> Double { (degrees * 100).rounded() / 100 + 0 }

    /// Whether nothing finer than a `coarse` place is in it.
    var isCoarse: Bool {
        altitude == nil && accuracy == nil && Self.coarse(latitude) == latitude && Self.coarse(longitude) == longitude
    }
}

extension HashOnlyPayload: Encodable {
    enum Keys: String, CodingKey {
        case version
        case mediaType = "media_type"
        case mediaHash = "media_hash"
        case flags = "metadata_flags"
        case metadata, video
        case depth = "depth_analysis"
    }

    enum MetadataKeys: String, CodingKey {
        case capturedAt = "captured_at"
        case location
        case deviceModel = "device_model"
        case osVersion = "os_version"
        case appVersion = "app_version"
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Keys.self)
        try members.encode(Self.version, forKey: .version)
        try members.encode(kind.type, forKey: .mediaType)
        try members.encode(mediaHash, forKey: .mediaHash)
        try members.encode(flags, forKey: .flags)
        var metadata = members.nestedContainer(keyedBy: MetadataKeys.self, forKey: .metadata)
        try metadata.encodeIfPresent(capturedAt.text, forKey: .capturedAt)
        try metadata.encodeIfPresent(location, forKey: .location)
        try metadata.encodeIfPresent(deviceModel, forKey: .deviceModel)
        try metadata.encodeIfPresent(osVersion, forKey: .osVersion)
        try metadata.encodeIfPresent(appVersion, forKey: .appVersion)
        guard let video else { return try members.encode(depth, forKey: .depth) }
        try members.encode(video, forKey: .video)
        try members.encode(video.depth, forKey: .depth)
    }

    /// The bytes to sign and to send.
    ///
    /// - Throws: ``HashOnlyError`` if the server would refuse them, such as a model without a name or a number that is not finite.
    public func bytes() throws(HashOnlyError) -> [UInt8] {
        guard let bytes = try? WireJSON.encode(self) else { throw .metadata(MetadataError("payload", "has a number that is not finite")) }
        _ = try Self.parse(bytes)
        return bytes
    }
}
