import CaptureProtocol

/// Why the depth of a video could not be decided, or does not count, in words.
enum DepthReasonText {
    /// - Parameter reason: the word of a reason in the evidence.
    /// - Returns: the key of its sentence; `nil` for reasons that photos have too.
    static func key(_ reason: String?) -> String? {
        switch reason.flatMap(DepthReason.init(rawValue:)) {
        case .videoUndecodable: "dp.video.undecodable"
        case .tooFewKeyframes: "dp.video.few"
        case .lowRelief: "dp.video.low"
        case .partlyFlat: "dp.video.partly"
        case .frozenDepth: "dp.video.frozen"
        case .unstableDepth: "dp.video.unstable"
        case .depthNotOfVideo: "dp.video.other"
        case .partlySigned: "dp.video.signed"
        case .noDepth, .tooFewValid, .notASurface, .noLiDAR, .flatSurface, .undecided, .depthNotSigned, nil: nil
        }
    }
}
