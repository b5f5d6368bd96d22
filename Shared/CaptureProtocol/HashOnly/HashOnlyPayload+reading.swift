/// Why a payload is refused; each names the member.
public enum HashOnlyError: Error, Sendable, Equatable {
    /// Its form, or members that the flags forbid or demand.
    case metadata(MetadataError)
    /// The measurements of the depth.
    case depth(MetadataError)
}

extension HashOnlyPayload {
    /// Reads a payload: members beyond the form of SPEC §9, names that occur twice and what the flags keep back are refused at any level.
    ///
    /// - Throws: ``HashOnlyError``; the depth is looked at last.
    public static func parse(_ bytes: [UInt8]) throws(HashOnlyError) -> HashOnlyPayload { try parse(bytes, wasAccepted: false) }

    /// Reads a payload that was accepted, maybe before the rule for videos was as strict as it is: one that contradicts it is undecided.
    ///
    /// - Throws: ``HashOnlyError`` for anything else that would be refused.
    public static func parse(accepted bytes: [UInt8]) throws(HashOnlyError) -> HashOnlyPayload { try parse(bytes, wasAccepted: true) }

    private static func parse(_ bytes: [UInt8], wasAccepted: Bool) throws(HashOnlyError) -> HashOnlyPayload {
        let members: MetadataReader
        let shared: HashOnlyPayload
        do throws(MetadataError) {
            guard bytes.count <= SizeLimits.hashOnlyPayload else {
                throw MetadataError("payload", "is larger than \(SizeLimits.hashOnlyPayload) bytes")
            }
            members = try MetadataReader(bytes, document: "payload")
            shared = try HashOnlyPayload(sharedBy: members)
        } catch {
            throw .metadata(error)
        }
        do throws(MetadataError) {
            guard !members.isNull(Keys.depth.rawValue) else { return shared }
            let depth = try members.object(Keys.depth.rawValue)
            guard let video = shared.video else { return shared.with(depth: try SignedDepth(depth), video: nil) }
            let measured = try SignedVideoDepth(
                depth, frames: video.frameCount, durationMilliseconds: video.durationMilliseconds, wasAccepted: wasAccepted)
            return shared.with(depth: nil, video: video.with(depth: measured))
        } catch {
            throw .depth(error)
        }
    }

    /// Reads everything but the depth.
    private init(sharedBy members: MetadataReader) throws(MetadataError) {
        let type: CaptureType = try members.word(Keys.mediaType.rawValue)
        try members.close([Keys.version, .mediaType, .mediaHash, .flags, .metadata, .depth] + (type == .video ? [.video] : []))
        _ = try members.integer(Keys.version.rawValue, in: Self.version...Self.version)
        let flags = try MetadataFlags(members.object(Keys.flags.rawValue))
        let metadata = try members.object(Keys.metadata.rawValue)
        try metadata.close(sharedBy: flags)
        self.init(
            mediaHash: try members.hexDigest(Keys.mediaHash.rawValue), flags: flags,
            capturedAt: try metadata.capturedTime(MetadataKeys.capturedAt.rawValue, flags.timestamp),
            location: try metadata.sharedLocation(MetadataKeys.location.rawValue, flags.location),
            deviceModel: try metadata.optionalShortText(MetadataKeys.deviceModel.rawValue),
            osVersion: try metadata.optionalShortText(MetadataKeys.osVersion.rawValue),
            appVersion: try metadata.optionalShortText(MetadataKeys.appVersion.rawValue), depth: nil,
            video: type == .video ? try SignedVideo(members.object(Keys.video.rawValue)) : nil)
    }

    private func with(depth: SignedDepth?, video: SignedVideo?) -> HashOnlyPayload {
        HashOnlyPayload(
            mediaHash: mediaHash, flags: flags, capturedAt: capturedAt, location: location, deviceModel: deviceModel, osVersion: osVersion,
            appVersion: appVersion, depth: depth, video: video)
    }
}

extension MetadataFlags {
    fileprivate init(_ reader: MetadataReader) throws(MetadataError) {
        try reader.close([CodingKeys.location, .timestamp, .device])
        self.init(
            location: try reader.word(CodingKeys.location.rawValue), timestamp: try reader.word(CodingKeys.timestamp.rawValue),
            device: try reader.word(CodingKeys.device.rawValue))
    }
}

extension MetadataReader {
    /// Refuses what the flags keep back, and the absence of what they promise (the table of SPEC §9).
    fileprivate func close(sharedBy flags: MetadataFlags) throws(MetadataError) {
        typealias Keys = HashOnlyPayload.MetadataKeys
        let (demanded, optional): ([Keys], [Keys]) = (
            (flags.timestamp == .none ? [] : [.capturedAt]) + (flags.device == .none ? [] : [.deviceModel]),
            (flags.location == .none ? [] : [.location]) + (flags.device == .full ? [.osVersion, .appVersion] : [])
        )
        for key in [Keys.capturedAt, .location, .deviceModel, .osVersion, .appVersion] where has(key.rawValue) {
            guard demanded.contains(key) || optional.contains(key) else { throw error(key.rawValue, "is kept back by the metadata_flags") }
        }
        try close(demanded, optional: optional)
    }

    fileprivate func capturedTime(_ name: String, _ precision: TimePrecision) throws(MetadataError) -> SharedTime {
        switch precision {
        case .none: return .notShared
        case .exact: return .exact(try time(name))
        case .day:
            guard let day = Timestamp.parseDay(try text(name)) else { throw error(name, "is not a day such as \"2026-11-21\"") }
            return .day(day)
        }
    }

    fileprivate func sharedLocation(_ name: String, _ flag: MetadataFlags.Location) throws(MetadataError) -> PreciseLocation? {
        guard has(name) else { return nil }
        let place = try object(name)
        try place.close([PlaceKeys.latitude, .longitude], optional: flag == .precise ? [.altitude, .accuracy] : [])
        guard let location = try location(name) else { return nil }
        if flag == .coarse, !location.isCoarse { throw error(name, "must be in multiples of 0.01 degrees") }
        return location
    }

    private enum PlaceKeys: String, CodingKey { case latitude, longitude, altitude, accuracy }
}
