/// How far the middle 60 % × 60 % of a map departs from the smooth surface that fits it best.
enum CentreRelief {
    /// Valid pixels of the centre, below which nothing is fitted.
    static let leastValid = 200

    /// - Returns: `nil` if the pixels determine no surface.
    static func surface(of grid: CentreGrid) -> FittedSurface? {
        var robust = RobustFit(grid)
        var best: (fit: SurfaceFit, off: Int)?
        for start in FitStart.allCases {
            guard let fit = robust.fit(from: start) else { continue }
            let off = FittedSurface.offCount(of: fit, in: grid)
            // The first of equals.
            if let best, off >= best.off { continue }
            best = (fit, off)
        }
        return best.map { FittedSurface($0.fit, grid) }
    }
}
