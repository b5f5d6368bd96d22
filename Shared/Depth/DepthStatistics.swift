/// The valid pixels of a map, and those measurements of the product's specification that need no photo: the range of the depths, their
/// deviation, and the number of layers that they form.
struct DepthStatistics {
    /// Valid depths in metres, row-major order of the map.
    let valid: [Double]
    let pixelCount: Int
    /// Metres; `nil` without a valid pixel.
    let minimum: Double?
    let maximum: Double?
    /// Population standard deviation in metres; 0 without a valid pixel.
    let deviation: Double
    /// Peaks of the smoothed histogram; 0 without a valid pixel.
    let layers: Int

    /// Share of valid pixels, 0...1.
    var coverage: Double { Double(valid.count) / Double(pixelCount) }

    init(_ map: DepthMap) {
        var valid: [Double] = []
        valid.reserveCapacity(map.metres.count)
        var (low, high) = (Double.infinity, -Double.infinity)
        for metres in map.metres where DepthMap.isValid(Double(metres)) {
            let metres = Double(metres)
            valid.append(metres)
            low = metres < low ? metres : low
            high = metres > high ? metres : high
        }
        self.valid = valid
        pixelCount = map.metres.count
        minimum = valid.isEmpty ? nil : low
        maximum = valid.isEmpty ? nil : high
        deviation = Self.deviation(valid)
        layers = valid.isEmpty ? 0 : Self.layers(valid, from: low, to: high)
    }

    /// Two passes, each a sum from the first value to the last.
    private static func deviation(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return 0 }
        let count = Double(values.count)
        var sum = 0.0
        for value in values { sum += value }
        let mean = sum / count
        var squares = 0.0
        for value in values { squares += (value - mean) * (value - mean) }
        return (squares / count).squareRoot()
    }

    /// Counts the peaks of a 64-bin histogram between the least and the greatest value, smoothed with a 3-bin mean.
    private static func layers(_ values: [Double], from low: Double, to high: Double) -> Int {
        guard high > low else { return 1 }
        let bins = 64
        var counts = [Int](repeating: 0, count: bins)
        for value in values { counts[min(Int((value - low) / (high - low) * Double(bins)), bins - 1)] += 1 }
        // Six times the mean, so that it stays an integer: three bins inside, two at the ends.
        let smooth = (0..<bins).map { bin in
            switch bin {
            case 0: 3 * (counts[0] + counts[1])
            case bins - 1: 3 * (counts[bins - 2] + counts[bins - 1])
            default: 2 * (counts[bin - 1] + counts[bin] + counts[bin + 1])
            }
        }
        return peaks(smooth)
    }

    /// Counts runs of equal bins that are higher than the bins beside them and than 5 % of the highest bin. A run counts once, since
    /// smoothing makes a single full bin three equal ones.
    private static func peaks(_ smooth: [Int]) -> Int {
        let highest = smooth.max() ?? 0
        var peaks = 0
        var start = 0
        while start < smooth.count {
            var end = start
            while end + 1 < smooth.count, smooth[end + 1] == smooth[start] { end += 1 }
            let risesFromLeft = start == 0 || smooth[start - 1] < smooth[start]
            let fallsToRight = end == smooth.count - 1 || smooth[end + 1] < smooth[start]
            if risesFromLeft, fallsToRight, smooth[start] * 20 > highest { peaks += 1 }
            start = end + 1
        }
        return peaks
    }
}
