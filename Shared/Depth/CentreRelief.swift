/// Fits a smooth surface to the middle 60 % × 60 % of a map.
enum CentreRelief {
    /// The minimum number of valid pixels in the centre for a fit.
    static let leastValid = 200

    /// - Returns: `nil` if the pixels do not determine a surface.
    static func surface(of grid: CentreGrid) -> FittedSurface? {
        var robust = RobustFit(grid)
        var best: (fit: SurfaceFit, off: Int)?
        for start in FitStart.allCases {
            guard let fit = robust.fit(from: start) else { continue }
            let off = FittedSurface.offCount(of: fit, in: grid)
            // The first of equal surfaces is kept.
            if let best, off >= best.off { continue }
            best = (fit, off)
        }
        return best.map { FittedSurface($0.fit, grid) }
    }
}
