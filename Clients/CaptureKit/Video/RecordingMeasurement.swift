import CaptureProtocol
import Depth
import Models

/// Measures the depth of a recording in privacy mode while it goes on, with the module that the server uses (SPEC §10.11).
///
/// Brightness is that of the pictures as they are given to the encoder, reduced at once to the plane that the method wants, which has about
/// as many pixels as a depth map: of a keyframe some 300 kB wait here, of all but the last one numbers alone are kept.
actor RecordingMeasurement {
    /// Keyframes that may wait: more than an encoder holds back at a time.
    static let mostWaiting = 16

    private nonisolated let layout: VideoDepthLayout
    private var analysis: VideoDepthAnalysis?
    private var isWhole = true

    /// - Parameters: of the first picture, whose size says how depth lies in all of them. How a picture is turned for showing changes no
    ///   number.
    /// - Returns: `nil` for a picture without brightness.
    init?(_ luma: LumaPlane?, _ depth: DepthPlane) {
        guard let luma,
            let layout = try? VideoDepthLayout(frame: (luma.width, luma.height), depth: (depth.width, depth.height), rotation: 0)
        else { return nil }
        self.layout = layout
    }

    /// What is kept of a picture until its sample has come out.
    nonisolated func reduced(_ luma: LumaPlane?) -> LumaImage? { luma?.image.map(layout.plane) }

    /// Measures the next keyframe, in ascending time.
    /// - Parameters:
    ///   - time: p(sample), in ticks.
    ///   - timescale: ticks per second.
    func add(_ depth: DepthPlane, _ luma: LumaImage?, sample: UInt32, time: Int64, timescale: UInt32) {
        if analysis == nil { analysis = VideoDepthAnalysis(layout: layout, timescale: timescale) }
        do throws(DepthError) {
            try analysis?.add(VideoKeyframe(sample: Int(sample), ticks: time, depth: try depth.map(), luma: luma))
        } catch {
            isWhole = false
        }
    }

    /// - Parameters:
    ///   - end: when the last picture ends, in ticks.
    ///   - timescale: ticks per second.
    /// - Returns: `nil` if a keyframe could not be measured: the numbers are those of all or of none.
    func measured(end: Int64, timescale: UInt32) -> SignedVideoDepth? {
        guard isWhole else { return nil }
        return analysis?.finish(endTicks: end).signed(durationMilliseconds: Int(end * 1000 / Int64(max(timescale, 1))))
    }
}
