/// Smooth noise in −1...1: random values on a grid, interpolated.
struct ValueNoise {
    let seed: UInt64
    /// Distance between grid points, in the unit of the coordinates.
    let cell: Double

    func callAsFunction(_ x: Double, _ y: Double) -> Double {
        let (column, row) = ((x / cell).rounded(.down), (y / cell).rounded(.down))
        let (tx, ty) = (smooth(x / cell - column), smooth(y / cell - row))
        let (c, r) = (Int(column), Int(row))
        let top = value(c, r) + (value(c + 1, r) - value(c, r)) * tx
        let bottom = value(c, r + 1) + (value(c + 1, r + 1) - value(c, r + 1)) * tx
        return top + (bottom - top) * ty
    }

    private func value(_ column: Int, _ row: Int) -> Double { SeededGenerator.hash(column, row, seed: seed) * 2 - 1 }

    private func smooth(_ t: Double) -> Double { t * t * (3 - 2 * t) }
}
