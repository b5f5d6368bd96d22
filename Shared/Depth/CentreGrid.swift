/// The middle 60 % × 60 % of a map, to which a surface is fitted: row-major, with positions in −1...1.
struct CentreGrid {
    /// The range of the map's pixels.
    let columns: Range<Int>
    let rows: Range<Int>
    /// Position of each column and of each row, −1...1 over the centre, at pixel centres.
    let u: [Double]
    let v: [Double]
    /// Metres, and 1/m, of each pixel; NaN for a pixel without a measurement.
    let metres: [Double]
    let inverse: [Double]
    let validCount: Int
    /// 1/m; 0 without a valid pixel.
    let meanInverse: Double

    init(_ map: DepthMap) {
        columns = Self.middle(of: map.width)
        rows = Self.middle(of: map.height)
        u = Self.coordinates(columns.count)
        v = Self.coordinates(rows.count)
        var metres = [Double](repeating: .nan, count: columns.count * rows.count)
        var inverse = metres
        var count = 0
        var sum = 0.0
        var place = 0
        for y in rows {
            for index in y * map.width + columns.lowerBound..<y * map.width + columns.upperBound {
                let depth = Double(map.metres[index])
                if DepthMap.isValid(depth) {
                    metres[place] = depth
                    inverse[place] = 1 / depth
                    sum += inverse[place]
                    count += 1
                }
                place += 1
            }
        }
        self.metres = metres
        self.inverse = inverse
        validCount = count
        meanInverse = count > 0 ? sum / Double(count) : 0
    }

    /// The middle 60 % of a side, in whole pixels; never empty.
    private static func middle(of side: Int) -> Range<Int> {
        let margin = side / 5
        return margin..<side - margin
    }

    private static func coordinates(_ count: Int) -> [Double] {
        (0..<count).map { Double(2 * $0 + 1 - count) / Double(count) }
    }
}
