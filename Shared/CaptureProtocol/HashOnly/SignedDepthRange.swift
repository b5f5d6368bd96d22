/// The range of depths and the share of valid pixels that a device signs, of a photo or a video (SPEC §9).
struct SignedDepthRange {
    /// What a problem is about.
    enum Member { case minDepth, coverage }

    let minDepth: Double?
    let maxDepth: Double?
    let coverage: Double

    /// The first thing that no depth could have; `nil` if there is none.
    var problem: (member: Member, text: String)? {
        guard let minDepth, let maxDepth else {
            if minDepth != nil || maxDepth != nil { return (.minDepth, "and max_depth must both be numbers or both be null") }
            return coverage == 0 ? nil : (.coverage, "must be 0 without a range of depth")
        }
        guard minDepth >= 0.1, minDepth <= maxDepth, maxDepth <= 20 else {
            return (.minDepth, "and max_depth must be in order and from 0.1 to 20")
        }
        return coverage == 0 ? (.coverage, "must not be 0 with a range of depth") : nil
    }
}
