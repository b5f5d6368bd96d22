/// How far the middle 60 % × 60 % of a map departs from the smooth surface that fits it best.
struct CentreRelief {
    /// Valid pixels of the centre, below which nothing is fitted.
    static let leastValid = 200

    /// Valid pixels in the centre.
    let validCount: Int
    /// `nil` if there are too few of them or they determine no surface.
    let surface: FittedSurface?

    init(_ map: DepthMap) {
        let grid = CentreGrid(map)
        validCount = grid.validCount
        guard validCount >= Self.leastValid else {
            surface = nil
            return
        }
        var robust = RobustFit(grid)
        var best: (fit: SurfaceFit, off: Int)?
        for start in FitStart.allCases {
            guard let fit = robust.fit(from: start) else { continue }
            let off = FittedSurface.offCount(of: fit, in: grid)
            // The first of equals.
            if let best, off >= best.off { continue }
            best = (fit, off)
        }
        surface = best.map { FittedSurface($0.fit, grid) }
    }
}
