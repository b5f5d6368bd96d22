/// Whether the depth edges of a keyframe lie on edges of its picture: the contrast at depth edges, by rank within the picture, compared
/// with that at the same edges moved aside. Depth of another scene has about the same contrast at both.
enum EdgeAlignment {
    /// The minimum number of depth edges, and of those that stay inside the picture when moved.
    static let leastEdges = 100
    static let leastMoved = 50
    /// Pixels along the picture's border that do not count.
    static let border = 2
    /// How far edges are moved for comparison, in pixels.
    static let distances = [12, 20, 28]

    /// - Parameters:
    ///   - edges: one flag per pixel of the map: both pixels of every jump.
    ///   - luma: brightness at the map's size and as it lies.
    /// - Returns: the mean rank of contrast at the edges minus that at moved edges, −1...1; `nil` with too few edges.
    static func measure(edges: [Bool], luma: LumaImage) -> Double? {
        let (width, height) = (luma.width, luma.height)
        guard edges.count == width * height, width > 2 * border, height > 2 * border else { return nil }
        var places: [(x: Int32, y: Int32)] = []
        for y in border..<height - border {
            for x in border..<width - border where edges[y * width + x] { places.append((Int32(x), Int32(y))) }
        }
        guard places.count >= leastEdges else { return nil }
        let ranks = greatest(of: ContrastRanks.of(luma), width: width, height: height)

        func mean(_ dx: Int, _ dy: Int) -> (mean: Double, count: Int) {
            var sum = 0
            var count = 0
            for place in places {
                let (x, y) = (Int(place.x) + dx, Int(place.y) + dy)
                guard x >= border, x < width - border, y >= border, y < height - border else { continue }
                sum += Int(ranks[y * width + x])
                count += 1
            }
            // Ranks go from 0 to pixels − 1; the sum is exact.
            return (count > 0 ? Double(sum) / Double(count) / Double(width * height - 1) : 0, count)
        }

        var beside = 0.0
        var counted = 0
        for distance in distances {
            for (dx, dy) in [(distance, 0), (-distance, 0), (0, distance), (0, -distance)] {
                let moved = mean(dx, dy)
                guard moved.count >= leastMoved else { continue }
                beside += moved.mean
                counted += 1
            }
        }
        return counted > 0 ? mean(0, 0).mean - beside / Double(counted) : nil
    }

    /// The greatest of the 3 × 3 values around each, those inside the picture.
    private static func greatest(of values: [Int32], width: Int, height: Int) -> [Int32] {
        var rows = values
        var output = values
        values.withUnsafeBufferPointer { values in
            rows.withUnsafeMutableBufferPointer { rows in
                for y in 0..<height {
                    let start = y * width
                    for x in start + 1..<start + width - 1 { rows[x] = max(values[x - 1], max(values[x], values[x + 1])) }
                    rows[start] = max(values[start], values[start + 1])
                    rows[start + width - 1] = max(values[start + width - 2], values[start + width - 1])
                }
                output.withUnsafeMutableBufferPointer { output in
                    for y in 0..<height {
                        let (above, here, below) = (max(y - 1, 0) * width, y * width, min(y + 1, height - 1) * width)
                        for x in 0..<width { output[here + x] = max(rows[above + x], max(rows[here + x], rows[below + x])) }
                    }
                }
            }
        }
        return output
    }
}

/// The ranks of a picture's pixels by contrast.
enum ContrastRanks {
    /// Ranks of gx² + gy² of central differences (0 across the border), from 0; equal ones in row-major order.
    static func of(_ luma: LumaImage) -> [Int32] {
        let gradients = squaredGradients(luma)
        // At most 2 × 255²: 255 in both axes.
        let greatest = Int(gradients.max() ?? 0)
        var starts = [Int32](repeating: 0, count: greatest + 2)
        var ranks = [Int32](repeating: 0, count: gradients.count)
        starts.withUnsafeMutableBufferPointer { starts in
            for gradient in gradients { starts[Int(gradient) + 1] += 1 }
            var sum: Int32 = 0
            for index in starts.indices {
                sum += starts[index]
                starts[index] = sum
            }
            ranks.withUnsafeMutableBufferPointer { ranks in
                for (index, gradient) in gradients.enumerated() {
                    ranks[index] = starts[Int(gradient)]
                    starts[Int(gradient)] += 1
                }
            }
        }
        return ranks
    }

    private static func squaredGradients(_ luma: LumaImage) -> [Int32] {
        let (width, height) = (luma.width, luma.height)
        var output = [Int32](repeating: 0, count: width * height)
        luma.pixels.withUnsafeBufferPointer { pixels in
            output.withUnsafeMutableBufferPointer { output in
                for y in 0..<height {
                    let here = y * width
                    if y > 0, y < height - 1 {
                        for x in here..<here + width {
                            let dy = Int32(pixels[x + width]) - Int32(pixels[x - width])
                            output[x] = dy * dy
                        }
                    }
                    guard width > 2 else { continue }
                    for x in here + 1..<here + width - 1 {
                        let dx = Int32(pixels[x + 1]) - Int32(pixels[x - 1])
                        output[x] += dx * dx
                    }
                }
            }
        }
        return output
    }
}
