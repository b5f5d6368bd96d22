/// The video codecs that a capture may have (SPEC §10.1).
public enum VideoCodec: String, Sendable, CaseIterable {
    /// H.264 with its parameter sets in `avcC` (ISO/IEC 14496-15 §5).
    case h264 = "avc1"
    /// HEVC with its parameter sets in `hvcC` (ISO/IEC 14496-15 §8).
    case hevc = "hvc1"

    public var code: FourCharacterCode { FourCharacterCode(stringLiteral: rawValue) }

    /// What metadata and evidence call it.
    public var name: String {
        switch self {
        case .h264: "h264"
        case .hevc: "hevc"
        }
    }
}

/// How the picture is turned for showing, clockwise (the track header's matrix).
public enum VideoRotation: UInt16, Sendable, CaseIterable {
    case none = 0
    case quarter = 90
    case half = 180
    case threeQuarters = 270
}

/// What a track's pictures are, apart from the samples.
public struct VideoFormat: Sendable, Equatable {
    public let codec: VideoCodec
    /// Pixels, of the sample entry, before rotation.
    public let width: UInt16
    public let height: UInt16
    public let rotation: VideoRotation
    /// Ticks per second, at least 1.
    public let timescale: UInt32
    /// Payload of `avcC` or `hvcC`.
    public let configuration: [UInt8]
    /// Payload of `colr`; `nil` without one.
    public let colour: [UInt8]?

    public init(
        codec: VideoCodec, width: UInt16, height: UInt16, rotation: VideoRotation, timescale: UInt32, configuration: [UInt8],
        colour: [UInt8]? = nil
    ) {
        self.codec = codec
        self.width = width
        self.height = height
        self.rotation = rotation
        self.timescale = timescale
        self.configuration = configuration
        self.colour = colour
    }
}

/// What a sound track is, apart from the packets: always `mp4a`.
public struct SoundFormat: Sendable, Equatable {
    public static let code: FourCharacterCode = "mp4a"
    /// Ticks per second, at least 1.
    public let timescale: UInt32
    public let channels: UInt16
    /// Hertz, as the sample entry says.
    public let sampleRate: UInt32
    /// Payload of `esds` behind version and flags (ISO/IEC 14496-14 §5.6).
    public let descriptor: [UInt8]

    public init(timescale: UInt32, channels: UInt16, sampleRate: UInt32, descriptor: [UInt8]) {
        self.timescale = timescale
        self.channels = channels
        self.sampleRate = sampleRate
        self.descriptor = descriptor
    }
}

/// One sample: a coded picture, or a packet of sound.
public struct MovieSample: Sendable, Equatable {
    /// From the beginning of the file.
    public let offset: Int64
    /// At least 1.
    public let size: Int
    /// When it is decoded, in ticks, from 0.
    public let decodeTime: Int64
    /// How long until the next one is decoded, in ticks.
    public let duration: UInt32
    /// p(n): when it is shown, in ticks, relative to sample 0.
    public let time: Int64
    /// Whether decoding can begin here.
    public let isSync: Bool

    public init(offset: Int64, size: Int, decodeTime: Int64, duration: UInt32, time: Int64, isSync: Bool) {
        self.offset = offset
        self.size = size
        self.decodeTime = decodeTime
        self.duration = duration
        self.time = time
        self.isSync = isSync
    }
}

/// What the edit list says: a delay, and where in the track to begin (ISO/IEC 14496-12 §8.6.6).
public struct MovieEdit: Sendable, Equatable {
    /// The length of the empty edit, in ticks of the movie's timescale; 0 without one.
    public let delay: UInt64
    /// How long the rest is shown, in ticks of the movie's timescale; 0 for all there is, whose length is then written in its place.
    public let duration: UInt64
    /// In ticks of the track.
    public let mediaTime: Int64

    public init(delay: UInt64, duration: UInt64, mediaTime: Int64) {
        self.delay = delay
        self.duration = duration
        self.mediaTime = mediaTime
    }
}

/// The track of pictures, in decoding order.
public struct VideoTrack: Sendable, Equatable {
    public let format: VideoFormat
    /// 1…1000, the first a sync sample and the first shown.
    public let samples: [MovieSample]
    /// Composition offset of sample 0 in ticks: presentation time = `samples[n].time + firstOffset` (plus sample 0's decode time, 0).
    public let firstOffset: Int64
    public let edit: MovieEdit?

    public init(format: VideoFormat, samples: [MovieSample], firstOffset: Int64, edit: MovieEdit?) {
        self.format = format
        self.samples = samples
        self.firstOffset = firstOffset
        self.edit = edit
    }
}

/// The track of sound.
public struct SoundTrack: Sendable, Equatable {
    public let format: SoundFormat
    /// 1…4096 packets.
    public let samples: [MovieSample]
    /// Composition offset of packet 0 in ticks, 0 in any usual file.
    public let firstOffset: Int64
    public let edit: MovieEdit?

    public init(format: SoundFormat, samples: [MovieSample], firstOffset: Int64 = 0, edit: MovieEdit?) {
        self.format = format
        self.samples = samples
        self.firstOffset = firstOffset
        self.edit = edit
    }
}
