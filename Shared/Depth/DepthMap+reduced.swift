extension DepthMap {
    /// Pixels that are measured at most, those of ARKit's 256 × 192: what a larger map costs is bounded by this.
    public static let measuredPixels = 256 * 192

    /// The size at which a map is measured and drawn: its own up to ``measuredPixels``, else the largest of (nearly) the same shape
    /// with no more pixels than that.
    public static func measuredSize(width: Int, height: Int) -> (width: Int, height: Int) {
        let (long, short) = (max(width, height), min(width, height))
        guard short > 0, long <= maximumSide, long * short > measuredPixels else { return (width, height) }
        var side = long
        while side > 1, side * max(side * short / long, 1) > measuredPixels { side -= 1 }
        let other = max(side * short / long, 1)
        return width >= height ? (side, other) : (other, side)
    }

    /// The map at its ``measuredSize(width:height:)``: of each cell the pixel in its middle, as it is. Nothing is averaged, which would
    /// make depths that nobody measured. A map that is not too large stays the same bit by bit.
    func reduced() -> DepthMap {
        let size = Self.measuredSize(width: width, height: height)
        guard size != (width, height) else { return self }
        let columns = (0..<size.width).map { (2 * $0 + 1) * width / (2 * size.width) }
        var output: [Float] = []
        output.reserveCapacity(size.width * size.height)
        for row in 0..<size.height {
            let start = (2 * row + 1) * height / (2 * size.height) * width
            for column in columns { output.append(metres[start + column]) }
        }
        return DepthMap(trusted: size.width, size.height, output)
    }
}
