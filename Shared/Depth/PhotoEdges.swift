/// The photo's edges at the size of the depth map and lying as it does.
struct PhotoEdges {
    /// One flag a pixel of the map; `nil` without a photo.
    let edges: [Bool]?
    /// Share of depth edges with one of them at most 2 px away, 0...1.
    let coherence: Double
    /// Quarter turns clockwise that bring the depth map upright, 0...3.
    let rotation: Int

    /// The rotation of the highest coherence among those left open, the likeliest of equals.
    static func best(_ map: DepthMap, _ jumps: DepthJumps, _ luma: LumaImage?, _ exif: Int?) -> PhotoEdges {
        let candidates = DepthOrientation.candidates(depth: (map.width, map.height), photo: luma, exif: exif)
        var best = PhotoEdges(edges: nil, coherence: 0, rotation: candidates[0].rotation)
        guard let luma else { return best }
        // Without a depth edge nothing tells one rotation from another.
        for candidate in jumps.edgeCount > 0 ? candidates : [candidates[0]] {
            let edges = CannyEdges.find(in: candidate.apply(to: luma, width: map.width, height: map.height))
            let coherence = jumps.coherence(with: edges, width: map.width)
            if best.edges == nil || coherence > best.coherence {
                best = PhotoEdges(edges: edges, coherence: coherence, rotation: candidate.rotation)
            }
        }
        return best
    }
}
