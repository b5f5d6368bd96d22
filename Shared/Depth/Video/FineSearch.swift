/// The search at half size, around what was found at quarter size.
struct FineSearch {
    let first: Detail
    let second: Detail

    private static let radius = MotionField.halfRadius
    private static let displacements = MotionField.displacements(upTo: MotionField.refinement)

    /// - Parameters:
    ///   - x: of the grid point.
    ///   - guess: the displacement around which to search.
    /// - Returns: `nil` if too little of the windows is inside.
    func match(atX x: Int, y: Int, around guess: (dx: Int, dy: Int)) -> MotionField.Match? {
        var best: (cost: BlockCost, dx: Int, dy: Int)?
        for by in Self.displacements {
            let (dx, dy) = (guess.dx + by.dx, guess.dy + by.dy)
            guard let cost = cost(x, y, dx, dy, below: best?.cost) else { continue }
            best = (cost, dx, dy)
        }
        guard let best else { return nil }
        return MotionField.Match(
            x: x, y: y, dx: best.dx, dy: best.dy, cost: best.cost, unmovedCost: cost(x, y, 0, 0, below: nil))
    }

    /// - Returns: `nil` if too little is inside, or if the cost is not below another.
    private func cost(_ x: Int, _ y: Int, _ dx: Int, _ dy: Int, below limit: BlockCost?) -> BlockCost? {
        let (width, height) = (first.width, first.height)
        let left = max(x - Self.radius, max(0, -dx))
        let count = min(x + Self.radius + 1, min(width, width - dx)) - left
        let top = max(y - Self.radius, max(0, -dy))
        let end = min(y + Self.radius + 1, min(height, height - dy))
        guard count > 0, end > top, BlockCost.isEnough(count * (end - top), radius: Self.radius) else { return nil }
        let pixels = count * (end - top)
        // The least sum that is not below the limit.
        let least = limit.map { ($0.sum * pixels + $0.pixels - 1) / $0.pixels } ?? Int.max
        var sum = 0
        first.values.withUnsafeBufferPointer { first in
            second.values.withUnsafeBufferPointer { second in
                for row in top..<end {
                    let here = row * width + left
                    let there = (row + dy) * width + left + dx
                    // At most 13 × 4080.
                    var line: UInt16 = 0
                    for column in 0..<count {
                        let difference = first[here + column] &- second[there + column]
                        line &+= UInt16(bitPattern: difference < 0 ? 0 &- difference : difference)
                    }
                    sum += Int(line)
                    if sum >= least { return }
                }
            }
        }
        return sum < least ? BlockCost(sum: sum, pixels: pixels) : nil
    }
}
