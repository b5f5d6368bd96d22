extension DepthMap {
    /// The largest number of pixels that is analysed, that of ARKit's 256 × 192. It bounds the cost of larger maps.
    public static let measuredPixels = 256 * 192

    /// The size at which a map is analysed and drawn: its own up to ``measuredPixels``, else the largest with at most that many pixels and
    /// (nearly) the same proportions.
    public static func measuredSize(width: Int, height: Int) -> (width: Int, height: Int) {
        let (long, short) = (max(width, height), min(width, height))
        guard short > 0, long <= maximumSide, long * short > measuredPixels else { return (width, height) }
        var side = long
        while side > 1, side * max(side * short / long, 1) > measuredPixels { side -= 1 }
        let other = max(side * short / long, 1)
        return width >= height ? (side, other) : (other, side)
    }

    /// The map subsampled to its ``measuredSize(width:height:)``, with the middle pixel of each cell: averages would be depths that were
    /// never measured. A small map is returned unchanged.
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
