/// What is kept of a keyframe that does not depend on how the depth map lies in the frame.
struct KeyframeSummary: Sendable {
    let sample: Int
    let ticks: Int64
    let hasPicture: Bool
    /// Whether its depth is that of the keyframe before it, bit for bit, as measured.
    let isRepeated: Bool
    let validCount: Int
    let pixelCount: Int
    /// Metres.
    let minimum: Double?
    let maximum: Double?

    init(_ keyframe: VideoKeyframe, _ fitted: FittedDepth, isRepeated: Bool) {
        sample = keyframe.sample
        ticks = keyframe.ticks
        hasPicture = keyframe.luma != nil
        self.isRepeated = isRepeated
        validCount = fitted.statistics.valid.count
        pixelCount = fitted.statistics.pixelCount
        minimum = fitted.statistics.minimum
        maximum = fitted.statistics.maximum
    }
}
