/// Depth discontinuities ("jumps"): neighbouring valid pixels whose depths differ by more than 5 % of the nearer one.
struct DepthJumps {
    /// One flag per pixel: whether there is a jump between it and a neighbour.
    let edges: [Bool]
    let edgeCount: Int
    /// Pairs of horizontally or vertically neighbouring pixels that are both valid.
    let pairCount: Int
    let jumpCount: Int

    init(_ map: DepthMap) {
        let (width, height) = (map.width, map.height)
        var counted = Counted(edges: [Bool](repeating: false, count: map.metres.count))
        // Rows end with NaN, which has no jump to anything, so that they are whole groups of four, also when moved by a pixel.
        var here = [Double](repeating: .nan, count: (width + 3) / 4 * 4 + 1)
        var below = here
        Self.load(map, 0, into: &here)
        for y in 0..<height {
            counted.compare(here[...], here[1...], at: y * width, apart: 1)
            guard y + 1 < height else { break }
            Self.load(map, y + 1, into: &below)
            counted.compare(here[...], below[...], at: y * width, apart: width)
            swap(&here, &below)
        }
        edges = counted.edges
        edgeCount = edges.count { $0 }
        pairCount = counted.pairs
        jumpCount = counted.jumps
    }

    /// A row of a map in metres, if there is one; NaN where there is no measurement.
    private static func load(_ map: DepthMap, _ y: Int, into row: inout [Double]) {
        guard y < map.height else { return }
        row.withUnsafeMutableBufferPointer { row in
            map.metres.withUnsafeBufferPointer { metres in
                for x in 0..<map.width {
                    let depth = Double(metres[y * map.width + x])
                    row[x] = DepthMap.isValid(depth) ? depth : .nan
                }
            }
        }
    }

    private struct Counted {
        var edges: [Bool]
        var pairs = 0
        var jumps = 0

        /// Compares the pixels of a row, in whole groups of four, with their neighbours; `place` is that of the first pixel in the map, and
        /// `apart` how far beyond a pixel its neighbour is. Most groups have no jump.
        mutating func compare(_ here: ArraySlice<Double>, _ there: ArraySlice<Double>, at place: Int, apart: Int) {
            here.withUnsafeBufferPointer { here in
                there.withUnsafeBufferPointer { there in
                    var valid = SIMD4<Int64>()
                    for x in stride(from: 0, to: here.count & ~3, by: 4) {
                        let first = SIMD4(here[x], here[x + 1], here[x + 2], here[x + 3])
                        let second = SIMD4(there[x], there[x + 1], there[x + 2], there[x + 3])
                        let difference = first - second
                        // False for NaN, as is each comparison below.
                        valid.replace(with: valid &+ 1, where: difference .== difference)
                        let limit = 0.05 * first.replacing(with: second, where: .!(first .< second))
                        let jump = (difference .> limit) .| (-difference .> limit)
                        if any(jump) {
                            for lane in 0..<4 where jump[lane] { mark(place + x + lane, apart) }
                        }
                    }
                    pairs += Int(valid.wrappedSum())
                }
            }
        }

        private mutating func mark(_ place: Int, _ apart: Int) {
            jumps += 1
            edges[place] = true
            edges[place + apart] = true
        }
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
