/// Depth discontinuities ("jumps"): neighbouring valid pixels whose depths differ by more than 5 % of the nearer one.
struct DepthJumps {
    /// One flag per pixel: whether there is a jump between it and a neighbour.
    let edges: [Bool]
    let edgeCount: Int
    /// Pairs of horizontally or vertically neighbouring pixels that are both valid.
    let pairCount: Int
    let jumpCount: Int

    init(_ map: DepthMap) {
        var edges = [Bool](repeating: false, count: map.metres.count)
        var pairs = 0
        var jumps = 0
        let (width, height) = (map.width, map.height)
        map.metres.withUnsafeBufferPointer { metres in
            edges.withUnsafeMutableBufferPointer { edges in
                func compare(_ here: Double, _ index: Int, _ other: Int) {
                    let there = Double(metres[other])
                    guard DepthMap.isValid(there) else { return }
                    pairs += 1
                    guard abs(here - there) > 0.05 * (here < there ? here : there) else { return }
                    jumps += 1
                    edges[index] = true
                    edges[other] = true
                }
                for y in 0..<height {
                    for x in 0..<width {
                        let index = y * width + x
                        let here = Double(metres[index])
                        guard DepthMap.isValid(here) else { continue }
                        if x + 1 < width { compare(here, index, index + 1) }
                        if y + 1 < height { compare(here, index, index + width) }
                    }
                }
            }
        }
        self.edges = edges
        edgeCount = edges.count { $0 }
        pairCount = pairs
        jumpCount = jumps
    }

    /// Whether the map is noise: over half of all pairs are jumps, or the valid pixels are too scattered for a surface: fewer than one pair
    /// for two valid pixels, where a surface has nearly four.
    func isNoise(validCount: Int) -> Bool { jumpCount * 2 > pairCount || pairCount * 2 < validCount }

    /// Share of depth edges with a photo edge at most 2 px away in either direction, 0...1; 0 without a depth edge.
    /// - Parameter photoEdges: one flag per pixel of the depth map.
    func coherence(with photoEdges: [Bool], width: Int) -> Double {
        guard edgeCount > 0, width > 0, photoEdges.count == edges.count else { return 0 }
        let height = edges.count / width
        var met = 0
        for index in edges.indices where edges[index] {
            let (x, y) = (index % width, index / width)
            let isMet = (max(y - 2, 0)...min(y + 2, height - 1)).contains { row in
                photoEdges[row * width + max(x - 2, 0)...row * width + min(x + 2, width - 1)].contains(true)
            }
            if isMet { met += 1 }
        }
        return Double(met) / Double(edgeCount)
    }
}
