/// The surface that fits a centre best, and the pixels in front of it and behind it.
struct FittedSurface {
    private let grid: CentreGrid
    /// Metres from the surface along the optical axis, negative in front of it; NaN for a pixel without a measurement.
    private let offsets: [Double]
    private let frontCount: Int
    private let behindCount: Int

    init(_ fit: SurfaceFit, _ grid: CentreGrid) {
        self.grid = grid
        var offsets: [Double] = []
        offsets.reserveCapacity(grid.metres.count)
        var (front, behind) = (0, 0)
        for y in 0..<grid.v.count {
            let row = fit.row(grid.v[y])
            for u in grid.u {
                let metres = grid.metres[offsets.count]
                let offset = Self.offset(metres, row.inverseDepth(u))
                if abs(offset) > Self.tolerance(metres) {
                    if offset < 0 { front += 1 } else { behind += 1 }
                }
                offsets.append(offset)
            }
        }
        self.offsets = offsets
        frontCount = front
        behindCount = behind
    }

    /// The number of valid pixels off a surface.
    static func offCount(of fit: SurfaceFit, in grid: CentreGrid) -> Int {
        var count = 0
        let width = grid.u.count
        grid.u.withUnsafeBufferPointer { columns in
            grid.metres.withUnsafeBufferPointer { metres in
                for y in 0..<grid.v.count {
                    let row = fit.row(grid.v[y])
                    var place = y * width
                    for u in columns {
                        if abs(offset(metres[place], row.inverseDepth(u))) > tolerance(metres[place]) { count += 1 }
                        place += 1
                    }
                }
            }
        }
        return count
    }

    /// Share of valid pixels off the surface, 0...1.
    var relief: Double { Double(frontCount + behindCount) / Double(grid.validCount) }
    /// Shares in front of and behind the surface; their sum is ``relief``, except for rounding.
    var front: Double { Double(frontCount) / Double(grid.validCount) }
    var behind: Double { Double(behindCount) / Double(grid.validCount) }

    /// Whether the pixels off the surface are noise and not objects: over half of the pairs of such a pixel and a neighbour differ, in
    /// their distance from the surface, by more than the tolerance.
    var isScattered: Bool {
        var pairs = 0
        var apart = 0
        let width = grid.u.count
        func compare(_ here: Int, _ there: Int) {
            guard isOff(here) || isOff(there), !offsets[here].isNaN, !offsets[there].isNaN else { return }
            pairs += 1
            let tolerance = min(Self.tolerance(grid.metres[here]), Self.tolerance(grid.metres[there]))
            if abs(offsets[here] - offsets[there]) > tolerance { apart += 1 }
        }
        for y in 0..<grid.v.count {
            for x in 0..<width {
                let place = y * width + x
                if x + 1 < width { compare(place, place + 1) }
                if y + 1 < grid.v.count { compare(place, place + width) }
            }
        }
        return apart * 2 > pairs
    }

    /// Share of the photo's edges in the centre that are on the surface: those with a valid pixel of the surface at most 2 px away.
    /// - Parameters:
    ///   - edges: one flag per pixel of the whole map, in its orientation.
    ///   - width: of the map.
    /// - Returns: 0...1; `nil` without an edge in the centre.
    func share(ofEdges edges: [Bool], width: Int) -> Double? {
        var count = 0
        var met = 0
        for (y, mapRow) in grid.rows.enumerated() {
            for (x, mapColumn) in grid.columns.enumerated() {
                let index = mapRow * width + mapColumn
                guard index < edges.count, edges[index] else { continue }
                count += 1
                if touches(x, y) { met += 1 }
            }
        }
        return count > 0 ? Double(met) / Double(count) : nil
    }

    private func touches(_ x: Int, _ y: Int) -> Bool {
        for row in max(y - 2, 0)...min(y + 2, grid.v.count - 1) {
            for column in max(x - 2, 0)...min(x + 2, grid.u.count - 1) {
                let place = row * grid.u.count + column
                if !offsets[place].isNaN, !isOff(place) { return true }
            }
        }
        return false
    }

    /// False for a pixel without a measurement.
    private func isOff(_ place: Int) -> Bool { abs(offsets[place]) > Self.tolerance(grid.metres[place]) }

    /// A surface that reaches infinity, or goes behind the camera, counts as 1 km away.
    @inline(__always)
    private static func offset(_ metres: Double, _ inverseDepth: Double) -> Double {
        metres - 1 / (inverseDepth > 0.001 ? inverseDepth : 0.001)
    }

    @inline(__always)
    private static func tolerance(_ metres: Double) -> Double {
        let share = 0.02 * metres
        return share > 0.008 ? share : 0.008
    }
}
