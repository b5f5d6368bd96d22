/// Scales planes of 8 bits by area average in exact integer arithmetic, so that results are the same on every machine: devices,
/// `depth-analyzer` and `video-decoder` must scale the brightness that depth is compared with alike. Each value is (sum + total / 2) /
/// total, where `sum` adds the source pixels, each by the area that it covers, and `total` is the sum of these areas.
public struct AreaAverage: Sendable {
    private let source: (width: Int, height: Int)
    private let target: (width: Int, height: Int)
    /// Where each target column ends in the source: after `columns` whole columns and `share` / target.width of the next one.
    private let ends: [(columns: Int, share: Int)]
    /// How many rows of 8 bits can be added up in 16 bits.
    private static let rowsAtOnce = 257

    /// - Parameters: sizes in pixels, all in 1...65,535.
    public init(from source: (width: Int, height: Int), to target: (width: Int, height: Int)) {
        self.source = source
        self.target = target
        ends = (1...target.width).map { ($0 * source.width / target.width, $0 * source.width % target.width) }
    }

    /// - Parameter row: the source row of a number, of the source's width, which must last until the next call; asked for in ascending
    ///   order, some twice.
    /// - Returns: the target's rows, one after another.
    public func scale(_ row: (Int) -> UnsafeBufferPointer<UInt8>) -> [UInt8] {
        // One sum for each source column, and one that stays 0, since the last target column ends behind the last source column.
        let sums = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: source.width + 1)
        let whole = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: source.width)
        let running = UnsafeMutableBufferPointer<Int>.allocate(capacity: source.width + 1)
        defer {
            sums.deallocate()
            whole.deallocate()
            running.deallocate()
        }
        sums.initialize(repeating: 0)
        whole.initialize(repeating: 0)
        running.initialize(repeating: 0)
        return [UInt8](unsafeUninitializedCapacity: target.width * target.height) { output, initialized in
            for place in 0..<target.height {
                add(place, row, to: sums, whole)
                average(sums, running, UnsafeMutableBufferPointer(rebasing: output[place * target.width..<(place + 1) * target.width]))
                sums.update(repeating: 0)
            }
            initialized = target.width * target.height
        }
    }

    /// Adds the source rows that a target row covers, each by the share of it that is covered: at most 255 × 65,535.
    /// - Parameter whole: zeros, before and after.
    private func add(
        _ place: Int, _ row: (Int) -> UnsafeBufferPointer<UInt8>, to sums: UnsafeMutableBufferPointer<UInt32>,
        _ whole: UnsafeMutableBufferPointer<UInt16>
    ) {
        // In units of 1 / target.height source rows this target row is start..<end.
        let (start, end) = (place * source.height, (place + 1) * source.height)
        // Rows that are covered whole have one weight: they are added first, and multiplied together.
        var count = 0
        for y in start / target.height...(end - 1) / target.height {
            let weight = min(end, (y + 1) * target.height) - max(start, y * target.height)
            let pixels = row(y)
            guard weight == target.height else {
                let weight = UInt32(truncatingIfNeeded: weight)
                for x in 0..<source.width { sums[x] &+= UInt32(pixels[x]) &* weight }
                continue
            }
            for x in 0..<source.width { whole[x] &+= UInt16(pixels[x]) }
            count += 1
            if count == Self.rowsAtOnce {
                flush(whole, to: sums)
                count = 0
            }
        }
        if count > 0 { flush(whole, to: sums) }
    }

    private func flush(_ whole: UnsafeMutableBufferPointer<UInt16>, to sums: UnsafeMutableBufferPointer<UInt32>) {
        let weight = UInt32(truncatingIfNeeded: target.height)
        for x in 0..<source.width { sums[x] &+= UInt32(whole[x]) &* weight }
        whole.update(repeating: 0)
    }

    /// Averages a row of sums.
    /// - Parameter running: room for the sums of the columns before each.
    private func average(
        _ sums: UnsafeMutableBufferPointer<UInt32>, _ running: UnsafeMutableBufferPointer<Int>, _ output: UnsafeMutableBufferPointer<UInt8>
    ) {
        var sum = 0
        for x in 0..<source.width {
            sum &+= Int(sums[x])
            running[x + 1] = sum
        }
        let total = source.width * source.height
        var before = 0
        for column in 0..<target.width {
            let (columns, share) = ends[column]
            let until = running[columns] &* target.width &+ Int(sums[columns]) &* share
            output[column] = UInt8(truncatingIfNeeded: (until &- before &+ total / 2) / total)
            before = until
        }
    }
}
