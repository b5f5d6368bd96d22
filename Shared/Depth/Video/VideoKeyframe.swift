/// A depth map of a video, with the brightness of its frame.
public struct VideoKeyframe: Sendable {
    /// The number of its sample in the file, from 0.
    public let sample: Int
    /// When it is shown after the first frame, in ticks of the track's timescale.
    public let ticks: Int64
    public let depth: DepthMap
    /// The whole frame as stored, scaled by area to the size that ``VideoDepthLayout`` asks for; `nil` if the decoder gave no picture.
    public let luma: LumaImage?

    public init(sample: Int, ticks: Int64, depth: DepthMap, luma: LumaImage?) {
        self.sample = sample
        self.ticks = ticks
        self.depth = depth
        self.luma = luma
    }
}
