/// The photo's edges at the depth map's size and in its orientation.
struct PhotoEdges {
    /// One flag per pixel of the map; `nil` without a photo.
    let edges: [Bool]?
    /// Share of depth edges with one of them at most 2 px away, 0...1.
    let coherence: Double
    /// Quarter turns clockwise that bring the depth map upright, 0...3.
    let rotation: Int

    /// The edges in the possible orientation with the highest coherence; of equal ones the most likely.
    static func best(_ map: DepthMap, _ jumps: DepthJumps, _ luma: LumaImage?, _ exif: Int?) -> PhotoEdges {
        let candidates = DepthOrientation.candidates(depth: (map.width, map.height), photo: luma.map { ($0.width, $0.height) }, exif: exif)
        var best = PhotoEdges(edges: nil, coherence: 0, rotation: candidates[0].rotation)
        guard let luma else { return best }
        // Without depth edges the rotations cannot be distinguished.
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
