/// How far the middle 60 % × 60 % of a map departs from the smooth surface fitted to it.
struct CentreRelief {
    /// Valid pixels of the centre, below which nothing is fitted.
    static let leastValid = 200

    /// Valid pixels in the centre.
    let validCount: Int
    /// Share of them off the surface, 0...1; `nil` if there are too few of them or they determine no surface.
    let relief: Double?
    /// Whether what is off the surface has no surface of its own: over half of the neighbours of such a pixel differ from it, in
    /// their distance from the fit, by more than the tolerance itself. Objects have sides; noise has not.
    let isScattered: Bool

    init(_ map: DepthMap) {
        let columns = Self.middle(of: map.width)
        let rows = Self.middle(of: map.height)
        var samples: [SurfaceFit.Sample] = []
        // Position in the centre, row-major, to position in `samples`; -1 for an invalid pixel.
        var places = [Int](repeating: -1, count: columns.count * rows.count)
        for y in rows {
            let v = Self.coordinate(y, in: rows)
            for x in columns {
                let metres = Double(map.metres[y * map.width + x])
                guard DepthMap.isValid(metres) else { continue }
                places[(y - rows.lowerBound) * columns.count + (x - columns.lowerBound)] = samples.count
                samples.append(.init(u: Self.coordinate(x, in: columns), v: v, inverseDepth: 1 / metres))
            }
        }
        validCount = samples.count
        guard samples.count >= Self.leastValid, let fit = SurfaceFit.robust(to: samples) else {
            relief = nil
            isScattered = false
            return
        }
        let residuals = samples.map { Residual($0, fit) }
        relief = Double(residuals.count { $0.isOff }) / Double(residuals.count)
        isScattered = Self.isScattered(residuals, places, width: columns.count)
    }

    /// The middle 60 % of a side, in whole pixels; never empty.
    private static func middle(of side: Int) -> Range<Int> {
        let margin = side / 5
        return margin..<side - margin
    }

    /// −1...1 over the range, at pixel centres.
    private static func coordinate(_ pixel: Int, in range: Range<Int>) -> Double {
        Double(2 * (pixel - range.lowerBound) + 1 - range.count) / Double(range.count)
    }

    private static func isScattered(_ residuals: [Residual], _ places: [Int], width: Int) -> Bool {
        var pairs = 0
        var apart = 0
        for place in places.indices where places[place] >= 0 {
            let here = residuals[places[place]]
            for (isInside, other) in [((place + 1) % width != 0, place + 1), (place + width < places.count, place + width)]
            where isInside && places[other] >= 0 {
                let there = residuals[places[other]]
                guard here.isOff || there.isOff else { continue }
                pairs += 1
                if abs(here.metres - there.metres) > min(here.tolerance, there.tolerance) { apart += 1 }
            }
        }
        return apart * 2 > pairs
    }

    /// One pixel's distance from the surface.
    private struct Residual {
        let metres: Double
        let tolerance: Double
        var isOff: Bool { abs(metres) > tolerance }

        init(_ sample: SurfaceFit.Sample, _ fit: SurfaceFit) {
            let depth = 1 / sample.inverseDepth
            // A surface that goes to infinity or behind the camera is held at 1 km.
            metres = depth - 1 / max(fit.inverseDepth(sample.u, sample.v), 0.001)
            tolerance = max(0.02 * depth, 0.008)
        }
    }
}
