public import CaptureKit
public import Movie

/// Encodes planar YUV 4:2:0 pictures, 30 per second, with x264 or x265 in one thread: the same pictures give the same samples.
public struct FFmpegVideoEncoder: VideoEncoder {
    public struct Options: Sendable {
        public var codec = VideoCodec.h264
        public var rotation = VideoRotation.none
        /// Whether pictures may be shown in another order than decoded.
        public var hasBFrames = false
        /// Constant quality, 0 (lossless) to 51.
        public var quality = 23
        /// How many times larger than the pictures the video is. Enlarged pictures get grain, as a sensor gives it: large videos would take
        /// long to render.
        public var enlargement = 1

        public init() {}
    }

    private static let ticksPerPicture: Int64 = 20
    /// Pictures that may be inside the encoder: more than it ever reorders.
    private static let lag = 30

    private let width: Int
    private let height: Int
    private let options: Options
    private let program: FFmpeg

    /// - Parameters: pixels of the pictures, even; 4096 at most in the video.
    /// - Throws: ``EncodingError``.
    public init(width: Int, height: Int, options: Options = Options()) throws {
        guard (1...16).contains(options.enlargement), (16...4096 / options.enlargement).contains(width),
            (16...4096 / options.enlargement).contains(height), width.isMultiple(of: 2), height.isMultiple(of: 2)
        else { throw EncodingError.invalidInput }
        self.width = width
        self.height = height
        self.options = options
        let order = "bframes=\(options.hasBFrames ? 2 : 0):keyint=30"
        let codec =
            switch options.codec {
            case .h264: ["-c:v", "libx264", "-x264-params", "threads=1:sync-lookahead=0:rc-lookahead=0:b-pyramid=none:\(order)"]
            case .hevc:
                [
                    "-c:v", "libx265", "-tag:v", "hvc1", "-x265-params",
                    "pools=none:frame-threads=1:log-level=error:rc-lookahead=\(options.hasBFrames ? 4 : 0):\(order)",
                ]
            }
        program = try FFmpeg(
            ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "\(width)x\(height)", "-r", "30", "-i", "pipe:0"]
                + Self.enlarging(options.enlargement) + codec + [
                    "-preset", "veryfast", "-crf", "\(options.quality)", "-video_track_timescale", "\(VideoTime.timescale)",
                ])
    }

    private static func enlarging(_ factor: Int) -> [String] {
        factor == 1 ? [] : ["-vf", "scale=iw*\(factor):ih*\(factor):flags=bicubic,noise=alls=8:allf=t:all_seed=1"]
    }

    public var format: VideoFormat? {
        guard let header = program.header else { return nil }
        return VideoFormat(
            codec: options.codec, width: UInt16(width * options.enlargement), height: UInt16(height * options.enlargement),
            rotation: options.rotation, timescale: header.timescale, configuration: header.configuration, colour: header.colour)
    }

    public func encode(_ picture: [UInt8], at time: Int64) async throws -> [EncodedSample] {
        guard picture.count == width * height * 3 / 2, time.isMultiple(of: Self.ticksPerPicture) else { throw EncodingError.invalidInput }
        return try await program.write(picture, awaiting: Int(time / Self.ticksPerPicture) - Self.lag)
    }

    /// The first plane. Of an enlarged video that of the small picture, which has its proportions.
    public func luma(of picture: [UInt8]) -> LumaPlane? {
        LumaPlane(pixels: Array(picture.prefix(width * height)), width: width, height: height)
    }

    public func finish() async throws -> [EncodedSample] { try await program.finish() }
}
