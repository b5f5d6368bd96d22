import CaptureProtocol

/// The measurements of all keyframes under the assumption that depth lies in the frame in one way.
struct PlacementTrack: Sendable {
    /// The measurements of one keyframe.
    struct Keyframe: Sendable {
        let verdict: DepthVerdict
        let relief: Double?
        let reason: DepthReason?
        /// −1...1; `nil` without a picture or with too few edges.
        let alignment: Double?
        /// Agreement with the keyframe before it, 0...1; `nil` if there is none near enough, or it could not be measured.
        let agreement: Double?
        /// The votes of the pair with the keyframe before it, if it could be compared.
        let votes: MotionVotes?
    }

    /// The minimum number of keyframes for a mean alignment.
    private static let leastAligned = 5

    let placement: DepthPlacement
    private(set) var keyframes: [Keyframe] = []
    /// The last picture; `nil` if the last keyframe had none.
    private var last: DetailPyramid?

    init(placement: DepthPlacement) { self.placement = placement }

    /// - Parameters:
    ///   - luma: the whole frame as stored.
    ///   - before: the depth of the keyframe before, if it is near enough.
    mutating func add(_ fitted: FittedDepth, _ depth: HalfDepth, luma: LumaImage?, before: HalfDepth?) {
        let luma = luma.map { placement.cut($0, width: fitted.map.width, height: fitted.map.height) }
        let (verdict, relief, reason) = fitted.appraisal(aligned: luma)
        let pyramid = luma.map(DetailPyramid.init)
        var agreement: Double?
        var votes: MotionVotes?
        if let before, let last, let pyramid {
            let motion = MotionField(from: last, to: pyramid)
            agreement = DepthAgreement.measure(motion, from: before, to: depth)
            votes = MotionVotes(motion, from: before, to: depth)
        }
        let alignment = luma.flatMap { EdgeAlignment.measure(edges: fitted.jumps.edges, luma: $0) }
        keyframes.append(
            Keyframe(verdict: verdict, relief: relief, reason: reason, alignment: alignment, agreement: agreement, votes: votes))
        last = pyramid
    }

    /// Mean over the keyframes with an alignment; `nil` under five.
    var meanAlignment: Double? {
        let known = keyframes.compactMap(\.alignment)
        return known.count >= Self.leastAligned ? known.reduce(0, +) / Double(known.count) : nil
    }

    /// Mean over the pairs of keyframes that could be measured; `nil` without any.
    var consistency: Double? {
        let known = keyframes.compactMap(\.agreement)
        return known.isEmpty ? nil : known.reduce(0, +) / Double(known.count)
    }

    /// Share of the pairs that agree; `nil` without any.
    var stability: Double? {
        let known = keyframes.compactMap(\.agreement)
        return known.isEmpty ? nil : Double(known.count { $0 >= VideoDepthRule.leastAgreement }) / Double(known.count)
    }

    var coherence: Double? { MotionVotes.coherence(keyframes.compactMap(\.votes)) }
}
