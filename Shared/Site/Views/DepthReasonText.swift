import CaptureProtocol

/// Why depth could not be decided, or does not count, in words.
enum DepthReasonText {
    /// - Parameter reason: the word of a reason in the evidence.
    /// - Returns: the key of its sentence; `nil` for reasons that have no more to say than the verdict or the status.
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
        case .notASurface: "dp.noise"
        case .noDepth, .tooFewValid, .noLiDAR, .flatSurface, .undecided, .depthNotSigned, nil: nil
        }
    }
}
