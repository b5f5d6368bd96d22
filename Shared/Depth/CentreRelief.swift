/// Finds the smooth surface that fits the middle 60 % × 60 % of a map best.
enum CentreRelief {
    /// With fewer valid pixels in the centre no surface is fitted.
    static let leastValid = 200

    /// - Returns: `nil` if the pixels determine no surface.
    static func surface(of grid: CentreGrid) -> FittedSurface? {
        var robust = RobustFit(grid)
        var best: (fit: SurfaceFit, off: Int)?
        for start in FitStart.allCases {
            guard let fit = robust.fit(from: start) else { continue }
            let off = FittedSurface.offCount(of: fit, in: grid)
            // Of equals the first stays.
            if let best, off >= best.off { continue }
            best = (fit, off)
        }
        return best.map { FittedSurface($0.fit, grid) }
    }
}
