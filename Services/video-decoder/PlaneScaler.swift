import AreaAverage

/// Scales the planes of pictures by area average, as depth analysis does.
struct PlaneScaler {
    /// The size to scale to, each side at least 1.
    let width: Int, height: Int

    /// - Returns: `width` × `height` values of 8 bits.
    func scale(_ plane: Frame.Plane) -> [UInt8] {
        // What recordings at 1080p and 1440p become for playing: the same values at a tenth of the cost.
        if plane.isBytes, plane.width == 2 * width, plane.height == 2 * height { return halve(plane) }
        let average = AreaAverage(from: (plane.width, plane.height), to: (width, height))
        if plane.isBytes { return average.scale { UnsafeBufferPointer(start: plane.row($0), count: plane.width) } }
        // Rows of other than 8 bits are converted once; one that two target rows share is kept.
        let line = UnsafeMutablePointer<UInt8>.allocate(capacity: plane.width)
        defer { line.deallocate() }
        var loaded = -1
        return average.scale { y in
            if y != loaded { plane.copyRow(y, to: line) }
            loaded = y
            return UnsafeBufferPointer(start: line, count: plane.width)
        }
    }

    /// Averages squares of four values: (a + b + c + d + 2) / 4 is what the general form gives for them.
    private func halve(_ plane: Frame.Plane) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: width * height) { output, initialized in
            for row in 0..<height {
                let upper = UnsafeBufferPointer(start: plane.row(2 * row), count: 2 * width)
                let lower = UnsafeBufferPointer(start: plane.row(2 * row + 1), count: 2 * width)
                let target = UnsafeMutableBufferPointer(rebasing: output[row * width..<(row + 1) * width])
                for x in 0..<width {
                    let sum = UInt16(upper[2 * x]) &+ UInt16(upper[2 * x &+ 1]) &+ UInt16(lower[2 * x]) &+ UInt16(lower[2 * x &+ 1])
                    target[x] = UInt8(truncatingIfNeeded: (sum &+ 2) >> 2)
                }
            }
            initialized = width * height
        }
    }

    /// The size with a longer side of at most `side` and the same proportions, never larger.
    static func size(of source: (width: Int, height: Int), within side: Int) -> (width: Int, height: Int) {
        let longest = max(source.width, source.height)
        guard longest > side else { return source }
        return (max(1, (source.width * side + longest / 2) / longest), max(1, (source.height * side + longest / 2) / longest))
    }
}
