/// Canny's edge detector (J. Canny, IEEE TPAMI 8(6), 1986) in integer arithmetic, so that the edges are the same on all machines.
struct CannyEdges {
    /// Thresholds for the magnitude of the Sobel gradient of 8-bit brightness.
    static let low = 50
    static let high = 100

    /// Gaussian 5×5, σ ≈ 1.4, of sum 159.
    private static let kernel = [2, 4, 5, 4, 2, 4, 9, 12, 9, 4, 5, 12, 15, 12, 5, 4, 9, 12, 9, 4, 2, 4, 5, 4, 2]
    private static let kernelSum = 159

    private let width: Int
    private let height: Int

    /// - Returns: one flag a pixel, row-major.
    static func find(in image: LumaImage) -> [Bool] {
        let canny = CannyEdges(width: image.width, height: image.height)
        let blurred = canny.blur(image.pixels)
        let (magnitudes, directions) = canny.gradients(blurred)
        let thin = canny.suppressNonMaxima(magnitudes, directions)
        return canny.hysteresis(thin)
    }

    /// Blurs; values are `kernelSum` times brightness. Pixels beyond the border equal the nearest pixel inside.
    private func blur(_ pixels: [UInt8]) -> [Int] {
        var output = [Int](repeating: 0, count: pixels.count)
        for y in 0..<height {
            let rows = (-2...2).map { min(max(y + $0, 0), height - 1) * width }
            for x in 0..<width {
                let columns = (min(max(x - 2, 0), width - 1), max(x - 1, 0), x, min(x + 1, width - 1), min(x + 2, width - 1))
                var sum = 0
                for (index, row) in rows.enumerated() {
                    let k = index * 5
                    sum += Self.kernel[k] * (Int(pixels[row + columns.0]) + Int(pixels[row + columns.4]))
                    sum += Self.kernel[k + 1] * (Int(pixels[row + columns.1]) + Int(pixels[row + columns.3]))
                    sum += Self.kernel[k + 2] * Int(pixels[row + columns.2])
                }
                output[y * width + x] = sum
            }
        }
        return output
    }

    /// The direction of a gradient, across which an edge has to be the maximum.
    private enum Direction: UInt8 { case horizontal, falling, vertical, rising }

    /// Sobel's gradient: its squared magnitude, and its direction in steps of 45°.
    private func gradients(_ blurred: [Int]) -> ([Int], [Direction]) {
        var magnitudes = [Int](repeating: 0, count: blurred.count)
        var directions = [Direction](repeating: .horizontal, count: blurred.count)
        for y in 0..<height {
            let (above, here, below) = (max(y - 1, 0) * width, y * width, min(y + 1, height - 1) * width)
            for x in 0..<width {
                let (left, right) = (max(x - 1, 0), min(x + 1, width - 1))
                let gx =
                    blurred[above + right] - blurred[above + left] + 2 * (blurred[here + right] - blurred[here + left])
                    + blurred[below + right] - blurred[below + left]
                let gy =
                    blurred[below + left] - blurred[above + left] + 2 * (blurred[below + x] - blurred[above + x])
                    + blurred[below + right] - blurred[above + right]
                magnitudes[here + x] = gx * gx + gy * gy
                directions[here + x] = Self.direction(gx, gy)
            }
        }
        return (magnitudes, directions)
    }

    private static func direction(_ gx: Int, _ gy: Int) -> Direction {
        // tan 22.5° = 0.41421…
        if abs(gy) * 100_000 <= abs(gx) * 41_421 { return .horizontal }
        if abs(gx) * 100_000 <= abs(gy) * 41_421 { return .vertical }
        return (gx > 0) == (gy > 0) ? .falling : .rising
    }

    /// Keeps pixels that are greater than the previous neighbour and not less than the next one, so that one of two equal pixels is kept.
    private func suppressNonMaxima(_ magnitudes: [Int], _ directions: [Direction]) -> [Int] {
        var output = [Int](repeating: 0, count: magnitudes.count)
        for y in 0..<height {
            for x in 0..<width {
                let index = y * width + x
                let (dx, dy) =
                    switch directions[index] {
                    case .horizontal: (1, 0)
                    case .falling: (1, 1)
                    case .vertical: (0, 1)
                    case .rising: (1, -1)
                    }
                let value = magnitudes[index]
                if value > at(x - dx, y - dy, magnitudes), value >= at(x + dx, y + dy, magnitudes) { output[index] = value }
            }
        }
        return output
    }

    private func at(_ x: Int, _ y: Int, _ values: [Int]) -> Int {
        x >= 0 && x < width && y >= 0 && y < height ? values[y * width + x] : 0
    }

    /// Strong edges, and the weak edges that are connected to them.
    private func hysteresis(_ magnitudes: [Int]) -> [Bool] {
        let weak = Self.low * Self.kernelSum * Self.low * Self.kernelSum
        let strong = Self.high * Self.kernelSum * Self.high * Self.kernelSum
        var edges = magnitudes.map { $0 >= strong }
        var open = edges.indices.filter { edges[$0] }
        while let index = open.popLast() {
            let (x, y) = (index % width, index / width)
            for ny in max(y - 1, 0)...min(y + 1, height - 1) {
                for nx in max(x - 1, 0)...min(x + 1, width - 1) {
                    let next = ny * width + nx
                    guard !edges[next], magnitudes[next] >= weak else { continue }
                    edges[next] = true
                    open.append(next)
                }
            }
        }
        return edges
    }
}
