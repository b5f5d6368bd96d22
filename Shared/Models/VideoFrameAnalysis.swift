public import CaptureProtocol

/// The depth of one keyframe of a video.
public struct VideoFrameAnalysis: Codable, Sendable, Equatable {
    /// Sample number in the file, from 0.
    public var frame: Int
    /// Milliseconds after the first frame shown.
    public var timeMilliseconds: Int
    /// Share of valid centre pixels off the fitted surface, 0...1; `nil` if no surface could be fitted.
    public var relief: Double?
    public var verdict: DepthVerdict
    /// Share of depth that agrees with the keyframe before it, 0...1; `nil` if that could not be measured.
    public var agreement: Double?

    public init(frame: Int, timeMilliseconds: Int, relief: Double?, verdict: DepthVerdict, agreement: Double?) {
        self.frame = frame
        self.timeMilliseconds = timeMilliseconds
        self.relief = relief
        self.verdict = verdict
        self.agreement = agreement
    }

    enum CodingKeys: String, CodingKey {
        case frame
        case timeMilliseconds = "time_ms"
        case relief, verdict, agreement
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(frame, forKey: .frame)
        try container.encode(timeMilliseconds, forKey: .timeMilliseconds)
        try container.encode(relief, forKey: .relief)
        try container.encode(verdict, forKey: .verdict)
        try container.encode(agreement, forKey: .agreement)
    }
}
