import Dispatch

/// Scales by area average: each source pixel is weighted by the area that it covers. Rows first, then columns, in fixed-point arithmetic,
/// so that the result is the same on all machines; flat areas keep their value exactly.
struct AreaScaler {
    /// Weights of a target row or column add up to 1 << 16.
    private static let one = 65_536
    /// Between the passes a channel has 7 fractional bits: 255 << 7 times `one` still fits 32 bits.
    private static let fractionBits: UInt32 = 7

    private let rows: [Span]
    /// Interleaved values of a pixel, 1 or 3.
    private let channels: Int
    /// Values in a source row.
    private let stride: Int
    /// For each target column the first source column that it covers.
    private let starts: [Int]
    /// The most source columns that a target column covers.
    private let taps: Int
    /// The weights of all target columns, ``taps`` for each; those behind the last that it covers are 0.
    private let weights: [UInt32]

    /// - Parameters: sizes in pixels, all at least 1.
    init(from source: (width: Int, height: Int), to target: (width: Int, height: Int), channels: Int) {
        let columns = Span.all(from: source.width, to: target.width)
        rows = Span.all(from: source.height, to: target.height)
        self.channels = channels
        stride = source.width * channels
        let taps = columns.map(\.weights.count).max() ?? 1
        starts = columns.map(\.start)
        weights = columns.flatMap { $0.weights + [UInt32](repeating: 0, count: taps - $0.weights.count) }
        self.taps = taps
    }

    /// The size with a longer side of `maxSide` and the same proportions.
    /// - Returns: `nil` if the picture is not larger than that.
    static func size(
        of source: (width: Int, height: Int), fitting maxSide: Int, proportions: (width: Int, height: Int)
    ) -> (width: Int, height: Int)? {
        let longest = max(proportions.width, proportions.height)
        guard maxSide >= 1, max(source.width, source.height) > maxSide else { return nil }
        return (
            max(1, (proportions.width * maxSide + longest / 2) / longest), max(1, (proportions.height * maxSide + longest / 2) / longest)
        )
    }

    /// Large pictures are scaled in bands of rows, at the same time.
    /// - Parameter source: row-major, of the source's size.
    func scale(_ source: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        let count = starts.count * channels
        return [UInt8](unsafeUninitializedCapacity: rows.count * count) { output, initialized in
            initialized = rows.count * count
            // Safe, since bands only read the source and write rows of their own, and all are done before the buffers end.
            nonisolated(unsafe) let source = source
            nonisolated(unsafe) let output = UnsafeMutableBufferPointer(rebasing: output[..<initialized])
            let bands = min(Self.bands, 1 + rows.count * count / Self.valuesOfBand)
            DispatchQueue.concurrentPerform(iterations: bands) { band in
                scale(source, rows: rows.count * band / bands..<rows.count * (band + 1) / bands, into: output)
            }
        }
    }

    private static let bands = 2
    /// About half a millisecond.
    private static let valuesOfBand = 250_000

    /// - Parameters:
    ///   - places: the target rows to fill.
    ///   - output: the whole target.
    private func scale(_ source: UnsafeBufferPointer<UInt8>, rows places: Range<Int>, into output: UnsafeMutableBufferPointer<UInt8>) {
        let count = starts.count * channels
        // Behind the last column for weights of 0.
        var sums = [UInt32](repeating: 0, count: stride + taps * channels)
        for y in places {
            sums.withUnsafeMutableBufferPointer { sums in
                add(rows[y], of: source, to: sums)
                let line = UnsafeMutableBufferPointer(rebasing: output[y * count..<(y + 1) * count])
                if channels == 1 { averageOne(sums, into: line) } else { averageThree(sums, into: line) }
            }
        }
    }

    /// Adds the weighted source rows of a target row, with ``fractionBits``.
    private func add(_ row: Span, of source: UnsafeBufferPointer<UInt8>, to sums: UnsafeMutableBufferPointer<UInt32>) {
        sums.update(repeating: 1 << (16 - Self.fractionBits - 1))
        for (index, weight) in row.weights.enumerated() {
            let line = UnsafeBufferPointer(rebasing: source[(row.start + index) * stride..<(row.start + index + 1) * stride])
            // In two products of 16 bits, of which processors multiply eight at a time.
            let (high, low) = (UInt16(truncatingIfNeeded: weight >> 8), UInt16(truncatingIfNeeded: weight & 255))
            for place in 0..<stride {
                let value = UInt16(line[place])
                sums[place] &+= UInt32(value &* high) << 8 &+ UInt32(value &* low)
            }
        }
        for place in 0..<stride { sums[place] >>= 16 - Self.fractionBits }
    }

    private func averageOne(_ sums: UnsafeMutableBufferPointer<UInt32>, into output: UnsafeMutableBufferPointer<UInt8>) {
        let shift = 16 + Self.fractionBits
        let half = UInt32(1) << (shift - 1)
        starts.withUnsafeBufferPointer { starts in
            weights.withUnsafeBufferPointer { weights in
                // Copies of photos are scaled to a half at the least. Since weights add up to `one`, one product is a shift; the
                // differences wrap.
                switch taps {
                case 2:
                    for place in 0..<starts.count {
                        let (from, first) = (starts[place], place * 2)
                        let middle = sums[from + 1]
                        let value = half &+ middle << 16 &+ (sums[from] &- middle) &* weights[first]
                        output[place] = UInt8(truncatingIfNeeded: value >> shift)
                    }
                case 3:
                    for place in 0..<starts.count {
                        let (from, first) = (starts[place], place * 3)
                        let middle = sums[from + 1]
                        var value = half &+ middle << 16 &+ (sums[from] &- middle) &* weights[first]
                        value &+= (sums[from + 2] &- middle) &* weights[first + 2]
                        output[place] = UInt8(truncatingIfNeeded: value >> shift)
                    }
                default:
                    for place in 0..<starts.count {
                        var value = half
                        for index in 0..<taps { value &+= sums[starts[place] + index] &* weights[place * taps + index] }
                        output[place] = UInt8(truncatingIfNeeded: value >> shift)
                    }
                }
            }
        }
    }

    private func averageThree(_ sums: UnsafeMutableBufferPointer<UInt32>, into output: UnsafeMutableBufferPointer<UInt8>) {
        let shift = 16 + Self.fractionBits
        let half = UInt32(1) << (shift - 1)
        starts.withUnsafeBufferPointer { starts in
            weights.withUnsafeBufferPointer { weights in
                for column in 0..<starts.count {
                    var (red, green, blue) = (half, half, half)
                    for index in 0..<taps {
                        let (place, weight) = ((starts[column] + index) * 3, weights[column * taps + index])
                        red &+= sums[place] &* weight
                        green &+= sums[place + 1] &* weight
                        blue &+= sums[place + 2] &* weight
                    }
                    output[column * 3] = UInt8(truncatingIfNeeded: red >> shift)
                    output[column * 3 + 1] = UInt8(truncatingIfNeeded: green >> shift)
                    output[column * 3 + 2] = UInt8(truncatingIfNeeded: blue >> shift)
                }
            }
        }
    }

    /// The source rows or columns that a target row or column covers.
    private struct Span {
        let start: Int
        let weights: [UInt32]

        /// Positions are in units of 1 / `target` source pixels.
        static func all(from source: Int, to target: Int) -> [Span] {
            (0..<target).map { place in
                let (start, end) = (place * source, (place + 1) * source)
                let indices = start / target...(end - 1) / target
                // The cumulative weight before a position: its differences add up to one regardless of rounding.
                let share = { (position: Int) in (min(max(position, start), end) - start) * one / source }
                return Span(
                    start: indices.lowerBound,
                    weights: indices.map { UInt32(share(($0 + 1) * target) - share($0 * target)) })
            }
        }
    }
}
