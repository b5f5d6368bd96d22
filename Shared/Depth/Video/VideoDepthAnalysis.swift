public import Models

/// Judges the depth of a video, method `relief-video-1`. Its measurements, and where they are made:
///
/// - the relief of every keyframe, as of a photo (``FittedDepth``);
/// - whether depth edges lie on edges of the picture (``EdgeAlignment``);
/// - the motion in the picture from keyframe to keyframe (``MotionField``), whether depth agrees along it (``DepthAgreement``), and whether
///   depth moves with it (``MotionVotes``).
///
/// `VideoDepthRule` gives the verdict.
///
/// Keyframes are added one after another; of each only its numbers are kept, and of the last one what the next is compared with, so that
/// memory does not grow with their size. Maps with more than `DepthMap.measuredPixels` pixels are first reduced, as photos' are.
///
/// Results are bit-identical on all machines: all of the pictures and of motion is integer arithmetic, logarithms are polynomials in fixed
/// point, and Float64 is only added, multiplied and divided, in order of the keyframes.
public struct VideoDepthAnalysis: Sendable {
    /// The largest number of keyframes (SPEC §10.1).
    public static let maximumKeyframes = 200
    /// The latest time that is accepted, in ticks. Later ones would be a longer video than any timescale allows.
    private static let latest: Int64 = 1 << 40

    private let layout: VideoDepthLayout
    private let timescale: Int64
    private var keyframes: [KeyframeSummary] = []
    private var tracks: [PlacementTrack]
    private var last: (depth: HalfDepth, map: DepthMap)?

    /// - Parameter timescale: ticks per second of the video's track; 0 counts as 1.
    public init(layout: VideoDepthLayout, timescale: UInt32) {
        self.layout = layout
        self.timescale = Int64(max(timescale, 1))
        tracks = layout.placements.map { PlacementTrack(placement: $0) }
    }

    /// Measures the next keyframe.
    ///
    /// - Throws: ``DepthError``: `shapeMismatch` for a map or a picture of another size than the layout's, `outOfOrder` unless it is later
    ///   than the one before, or for more than ``maximumKeyframes``. A keyframe that is refused changes nothing.
    public mutating func add(_ keyframe: VideoKeyframe) throws(DepthError) {
        try check(keyframe)
        let fitted = FittedDepth(keyframe.depth)
        let depth = HalfDepth(fitted.map)
        let summary = KeyframeSummary(keyframe, fitted, isRepeated: last.map { Self.isSame($0.map, fitted.map) } ?? false)
        // Neighbours over a quarter of a second apart are not compared.
        let isNear = keyframes.last.map { (keyframe.ticks - $0.ticks) * 4 <= timescale } ?? false
        for index in tracks.indices {
            tracks[index].add(fitted, depth, luma: keyframe.luma, before: isNear ? last?.depth : nil)
        }
        keyframes.append(summary)
        last = (depth, fitted.map)
    }

    /// - Parameters:
    ///   - endTicks: when the last frame of the video ends, in ticks after the first; keyframes must come until there.
    ///   - isDecodable: whether the decoder could read the video. Pictures that are missing also make a video undecodable, where what is
    ///     left is too few.
    public func finish(endTicks: Int64, isDecodable: Bool = true) -> VideoDepthMeasurements {
        // The first of equal ones is taken.
        var track = tracks[0]
        for other in tracks.dropFirst() where (other.meanAlignment ?? -2) > (track.meanAlignment ?? -2) { track = other }
        let end = min(max(endTicks, keyframes.last?.ticks ?? 0), Self.latest)
        return VideoDepthSummary(keyframes: keyframes, track: track, timescale: timescale, end: end)
            .measurements(isDecodable: isDecodable, rotation: layout.rotation(of: track.placement))
    }

    private func check(_ keyframe: VideoKeyframe) throws(DepthError) {
        guard keyframes.count < Self.maximumKeyframes else {
            throw DepthError(.outOfOrder, "more than \(Self.maximumKeyframes) keyframes")
        }
        guard keyframe.ticks > keyframes.last?.ticks ?? -1, keyframe.ticks <= Self.latest else {
            throw DepthError(.outOfOrder, "a keyframe at \(keyframe.ticks)")
        }
        guard keyframe.depth.width == layout.depthWidth, keyframe.depth.height == layout.depthHeight else {
            throw DepthError(.shapeMismatch, "depth of \(keyframe.depth.width)×\(keyframe.depth.height)")
        }
        guard let luma = keyframe.luma, luma.width != layout.lumaWidth || luma.height != layout.lumaHeight else { return }
        throw DepthError(.shapeMismatch, "luma of \(luma.width)×\(luma.height), not \(layout.lumaWidth)×\(layout.lumaHeight)")
    }

    /// Bit for bit: NaN equals itself, and 0 is not −0.
    private static func isSame(_ first: DepthMap, _ second: DepthMap) -> Bool {
        first.metres.withUnsafeBytes { first in second.metres.withUnsafeBytes { first.elementsEqual($0) } }
    }
}
