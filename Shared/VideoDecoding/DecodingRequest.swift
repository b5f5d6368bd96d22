/// What `video-decoder` is asked for.
public struct DecodingRequest: Sendable, Equatable {
    /// The most pictures that are asked for by number (SPEC §10.1).
    public static let maximumSamples = 200

    /// Where the payload of `moov` lies in the file.
    public let moov: Range<Int64>
    public let fileLength: Int64
    /// The numbers of the samples whose brightness is wanted, ascending.
    public let samples: [Int]
    /// The size of that brightness in pixels.
    public let lumaWidth: Int
    public let lumaHeight: Int
    /// The longer side of the poster, at most.
    public let posterSide: Int
    /// The longer side of the playback copy, at most; `nil` for none.
    public let playbackSide: Int?

    public init(
        moov: Range<Int64>, fileLength: Int64, samples: [Int], lumaWidth: Int, lumaHeight: Int, posterSide: Int, playbackSide: Int?
    ) {
        self.moov = moov
        self.fileLength = fileLength
        self.samples = samples
        self.lumaWidth = lumaWidth
        self.lumaHeight = lumaHeight
        self.posterSide = posterSide
        self.playbackSide = playbackSide
    }

    /// The program's arguments.
    var arguments: [String] {
        [
            "--moov", "\(moov.lowerBound):\(moov.upperBound)", "--length", "\(fileLength)", "--luma", "\(lumaWidth)x\(lumaHeight)",
            "--samples", samples.map(String.init).joined(separator: ","), "--poster", "\(posterSide)",
        ] + (playbackSide.map { ["--playback", "\($0)"] } ?? [])
    }
}
