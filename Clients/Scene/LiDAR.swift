/// Simulates the smoothed measurements of a phone's LiDAR, with correlated noise and holes.
struct LiDAR {
    let seed: UInt64
    /// Whether some corners bulge by a few percent, as when smooth surfaces are recaptured.
    let hasBulges: Bool
    /// Another value gives other noise and other holes; the bulges stay.
    var moment: UInt64 = 0

    /// - Returns: metres along the optical axis, row-major; 0 without a measurement.
    func measure(_ stage: Stage, width: Int, height: Int) -> [Float] {
        let noise = seed ^ moment
        let slow = ValueNoise(seed: noise ^ 0xA1, cell: Double(width) / 16)
        let fast = ValueNoise(seed: noise ^ 0xA2, cell: Double(width) / 85)
        let holes = ValueNoise(seed: noise ^ 0xA3, cell: Double(width) / 40)
        var depth: [Float] = []
        depth.reserveCapacity(width * height)
        for row in 0..<height {
            for column in 0..<width {
                let x = (Double(column) + 0.5) / Double(width) * 2 - 1
                let y = (Double(row) + 0.5) / Double(height) * 2 - 1
                guard let (metres, cosine) = stage.depth(alongX: x, y: y), metres <= 20,
                    // No measurement at grazing angles, and in random holes.
                    cosine > 0.05, holes(Double(column), Double(row)) < 0.93
                else {
                    depth.append(0)
                    continue
                }
                let deviation =
                    0.0035 * slow(Double(column), Double(row)) + 0.002 * fast(Double(column), Double(row))
                    + 0.001 * (SeededGenerator.hash(column, row, seed: noise ^ 0xA4) * 2 - 1)
                depth.append(Float(metres * (1 + deviation + (hasBulges ? bulge(x, y) : 0))))
            }
        }
        return depth
    }

    /// Up to 3 % in some of the corners.
    private func bulge(_ x: Double, _ y: Double) -> Double {
        var sum = 0.0
        for (index, (cornerX, cornerY)) in [(-0.7, -0.7), (0.7, -0.7), (-0.7, 0.7), (0.7, 0.7)].enumerated() {
            let strength = SeededGenerator.hash(index, 9, seed: seed)
            guard strength > 0.5 else { continue }
            let (dx, dy) = (x - cornerX, y - cornerY)
            sum += 0.03 * (strength * 2 - 1) * max(0, 1 - (dx * dx + dy * dy) / 0.12)
        }
        return sum
    }
}
