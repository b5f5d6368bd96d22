/// Scales planes by area average in exact integer arithmetic, so that results are the same on every machine, and the same as those that
/// depth analysis computes itself: each value is (sum + total / 2) / total.
struct PlaneScaler {
    /// The size to scale to, each side at least 1.
    let width: Int, height: Int

    /// - Returns: `width` × `height` values of 8 bits.
    func scale(_ plane: Frame.Plane) -> [UInt8] {
        // What recordings at 1080p and 1440p become for playing: the same values at a tenth of the cost.
        if plane.isBytes, plane.width == 2 * width, plane.height == 2 * height { return halve(plane) }
        var line = [UInt8](repeating: 0, count: plane.width)
        // Rows of other than 8 bits are converted once; one that two target rows share is kept.
        var loaded = -1
        var sums = [UInt32](repeating: 0, count: plane.width)
        let total = plane.width * plane.height
        return [UInt8](unsafeUninitializedCapacity: width * height) { output, initialized in
            for row in 0..<height {
                for x in sums.indices { sums[x] = 0 }
                // In units of 1 / height source rows this target row is start..<start + plane.height.
                let start = row * plane.height
                for y in start / height...(start + plane.height - 1) / height {
                    let weight = UInt32(min(start + plane.height, (y + 1) * height) - max(start, y * height))
                    if plane.isBytes {
                        Self.add(UnsafeBufferPointer(start: plane.row(y), count: plane.width), weight, to: &sums)
                        continue
                    }
                    if y != loaded {
                        line.withUnsafeMutableBufferPointer { buffer in
                            if let base = buffer.baseAddress { plane.copyRow(y, to: base) }
                        }
                        loaded = y
                    }
                    line.withUnsafeBufferPointer { Self.add($0, weight, to: &sums) }
                }
                sums.withUnsafeBufferPointer {
                    average($0, total, UnsafeMutableBufferPointer(rebasing: output[row * width..<(row + 1) * width]))
                }
            }
            initialized = width * height
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

    private static func add(_ row: UnsafeBufferPointer<UInt8>, _ weight: UInt32, to sums: inout [UInt32]) {
        sums.withUnsafeMutableBufferPointer { sums in
            for x in 0..<min(row.count, sums.count) { sums[x] &+= UInt32(row[x]) &* weight }
        }
    }

    /// Averages a row of sums in the other direction.
    private func average(_ sums: UnsafeBufferPointer<UInt32>, _ total: Int, _ output: UnsafeMutableBufferPointer<UInt8>) {
        var x = 0
        // The rest of source column x, in units of 1 / width.
        var rest = width
        for column in 0..<width {
            var needed = sums.count
            var sum = 0
            while needed > 0 {
                let share = min(rest, needed)
                sum &+= Int(sums[x]) &* share
                needed -= share
                rest -= share
                if rest == 0 {
                    x += 1
                    rest = width
                }
            }
            output[column] = UInt8(truncatingIfNeeded: (sum + total / 2) / total)
        }
    }

    /// The size with a longer side of at most `side` and the same proportions, never larger.
    static func size(of source: (width: Int, height: Int), within side: Int) -> (width: Int, height: Int) {
        let longest = max(source.width, source.height)
        guard longest > side else { return source }
        return (max(1, (source.width * side + longest / 2) / longest), max(1, (source.height * side + longest / 2) / longest))
    }
}
