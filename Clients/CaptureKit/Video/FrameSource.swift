public import Movie

/// What a camera and a microphone give while they record.
public enum CameraInput<Picture: Sendable, Sound: Sendable>: Sendable {
    /// A picture, with the depth of that very frame where it is taken.
    /// - Parameter time: ticks of ``VideoTime/timescale`` on the camera's clock, ascending.
    case picture(Picture, time: Int64, depth: DepthPlane?)
    /// The next piece of sound, without gaps.
    case sound(Sound)
    /// Something else took the camera: the recording ends here, and is signed.
    case interruption
}

/// Time stamps of recordings.
public enum VideoTime {
    /// Ticks per second: Apple's for movies, of which 30 pictures per second take 20 each.
    public static let timescale: UInt32 = 600
    /// A recording ends by itself before this, in ticks.
    public static let limit: Int64 = 15 * 600
    /// A recording ends by itself with so much sound, in ticks of the sound's track: 15.2 s, a little more than comes with pictures until
    /// ``limit``, and less than the server's 15.5 s by a packet at least. What an encoder still gives then is left out.
    static func soundLimit(timescale: UInt32, packet: UInt32) -> Int64 {
        min(Int64(timescale) * 152 / 10, Int64(timescale) * 155 / 10 - Int64(packet))
    }
    /// Each picture of this many has its depth recorded, the first one included.
    public static let picturesPerDepth = 3
}

/// A camera: `ARSession` with a microphone on iOS, a rendered scene elsewhere.
public protocol FrameSource<Picture, Sound>: Sendable {
    associatedtype Picture: Sendable
    associatedtype Sound: Sendable

    /// - Returns: the next input; `nil` when its person ends the recording. A source that may wait for long also ends when the task is
    ///   cancelled: nothing is recovered while a recording goes on.
    func next() async throws -> CameraInput<Picture, Sound>?
}

/// A coded picture or a packet of sound, as it came out of an encoder.
public struct EncodedSample: Sendable, Equatable {
    /// The encoded bytes; those of pictures are NAL units with lengths of four bytes.
    public let bytes: [UInt8]
    /// Ticks of the track, from 0, ascending.
    public let decodeTime: Int64
    /// Ticks of the track; of the first sample the least.
    public let presentationTime: Int64
    /// Ticks of the track.
    public let duration: UInt32
    public let isSync: Bool
    /// The time with which its picture was given to the encoder, by which its depth is found. `nil` of an encoder that never leaves out a
    /// picture, and of sound.
    public let pictureTime: Int64?

    public init(
        bytes: [UInt8], decodeTime: Int64, presentationTime: Int64, duration: UInt32, isSync: Bool, pictureTime: Int64? = nil
    ) {
        self.bytes = bytes
        self.decodeTime = decodeTime
        self.presentationTime = presentationTime
        self.duration = duration
        self.isSync = isSync
        self.pictureTime = pictureTime
    }
}

/// Encodes pictures as H.264 or HEVC: `VTCompressionSession` on iOS, the `ffmpeg` program elsewhere.
public protocol VideoEncoder<Picture>: Sendable {
    associatedtype Picture: Sendable

    /// What the samples are; known when the first one comes out.
    var format: VideoFormat? { get async }
    /// - Parameter time: ticks of ``VideoTime/timescale`` from the first picture on.
    /// - Returns: the samples that have come out by now, in decoding order. An encoder that may leave out pictures tells the time of each
    ///   one's picture (``EncodedSample/pictureTime``).
    /// - Throws: why it failed, once it has given what came out before: nothing is encoded afterwards.
    func encode(_ picture: Picture, at time: Int64) async throws -> [EncodedSample]
    /// The brightness of a picture as it is given to the encoder. Only privacy mode asks for it, and of pictures with depth alone.
    /// - Returns: `nil` if it cannot be read.
    func luma(of picture: Picture) async -> LumaPlane?
    /// Waits for the rest. Nothing is encoded afterwards.
    func finish() async throws -> [EncodedSample]
}

/// Encodes sound as AAC: `AVAudioConverter` on iOS, the `ffmpeg` program elsewhere.
public protocol AudioEncoder<Sound>: Sendable {
    associatedtype Sound: Sendable

    /// What the packets are; known when the first one comes out.
    var format: SoundFormat? { get async }
    /// Ticks that the encoder put before the sound.
    var priming: Int64 { get async }
    /// - Returns: the packets that have come out by now.
    func encode(_ sound: Sound) async throws -> [EncodedSample]
    /// Waits for the rest. Nothing is encoded afterwards.
    func finish() async throws -> [EncodedSample]
}
