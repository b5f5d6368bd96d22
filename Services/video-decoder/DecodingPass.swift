import Movie
import VideoDecoding

/// One pass over the samples of a file: brightness of the keyframes, poster and playback copy come from the one decoding. Without a copy,
/// pictures that nobody asks for and no other picture refers to are not decoded.
struct DecodingPass {
    private let movie: Movie
    private let settings: Settings
    private let write: (DecodedRecord) -> Void
    private let decoder: PictureDecoder
    private let luma: PlaneScaler
    /// Sample numbers by the time at which they are shown.
    private let numbers: [Int64: Int]
    private let wanted: Set<Int>
    private var encoder: PlaybackEncoder?
    private var isEncoding: Bool
    private var pictures = 0
    private var lastTime: Int64?

    init(_ movie: Movie, _ settings: Settings, write: @escaping (DecodedRecord) -> Void) throws {
        self.movie = movie
        self.settings = settings
        self.write = write
        decoder = try PictureDecoder(movie.video.format.codec, configuration: movie.video.format.configuration)
        luma = PlaneScaler(width: settings.lumaWidth, height: settings.lumaHeight)
        numbers = Dictionary(movie.video.samples.enumerated().map { ($0.element.time, $0.offset) }) { first, _ in first }
        wanted = Set(settings.samples.prefix(DecodingRequest.maximumSamples))
        isEncoding = settings.playbackSide != nil
    }

    mutating func run() throws {
        let first = movie.video.samples.map(\.time).min()
        for (number, sample) in movie.video.samples.enumerated() {
            let isNeeded = isEncoding || wanted.contains(number) || sample.time == first
            try decoder.decode(sample, isNeeded: isNeeded) { frame, time in try take(frame, time) }
        }
        try decoder.finish { frame, time in try take(frame, time) }
        if isEncoding, var encoder {
            for record in try encoder.finish() { write(record) }
        }
        write(.end(pictures: pictures))
    }

    /// Pictures are told by their time, since a decoder may leave some out.
    private mutating func take(_ frame: Frame, _ time: Int64) throws {
        guard let number = numbers[time] else { return }
        pictures += 1
        if pictures == 1 { write(try PosterPicture.record(frame, maxSide: settings.posterSide)) }
        if wanted.contains(number) {
            let plane = try frame.planes()[0]
            write(.luma(sample: number, width: luma.width, height: luma.height, pixels: luma.scale(plane)))
        }
        guard isEncoding, let side = settings.playbackSide, time > lastTime ?? .min else { return }
        lastTime = time
        do {
            if encoder == nil {
                encoder = try PlaybackEncoder(
                    like: frame, maxSide: side, timescale: movie.video.format.timescale, rate: Self.rate(of: movie.video))
            }
            for record in try encoder?.encode(frame, time: time) ?? [] { write(record) }
        } catch is DecodingFailure {
            // Such as pictures of two sizes: the copy is left out, what was written of it is not used.
            isEncoding = false
            write(.playbackFormat(width: 0, height: 0, configuration: []))
        }
    }

    /// Pictures a second on average, rounded up; 30 if there is one only.
    private static func rate(of track: VideoTrack) -> Int32 {
        let times = track.samples.map(\.time)
        guard let first = times.min(), let last = times.max(), last > first else { return 30 }
        let (pictures, ticks) = (Int64(times.count - 1) * Int64(track.format.timescale), last - first)
        return Int32(clamping: (pictures + ticks - 1) / ticks)
    }
}
