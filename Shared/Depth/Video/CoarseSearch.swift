/// The search at quarter size: compares the surroundings of every grid point at every displacement, one displacement of the whole picture
/// after another.
struct CoarseSearch {
    /// In pixels of the quarter size.
    struct Match: Equatable {
        let x: Int
        let y: Int
        let dx: Int
        let dy: Int
    }

    private static let spacing = MotionField.spacing / 2
    private static let firstPoint = MotionField.firstPoint / 2
    private static let radius = MotionField.quarterRadius
    private static let displacements = MotionField.displacements(upTo: MotionField.reach)
    /// A match is alone if nothing further away than this, in either axis, costs less than 13 tenths of it.
    private static let alone = 2
    private static let aloneTenths = 13

    private let first: Detail
    private let second: Detail
    private let columns: [Int]
    private let rows: [Int]

    /// - Parameters: two pictures of one size.
    init(from first: Detail, to second: Detail) {
        self.first = first
        self.second = second
        columns = Array(stride(from: Self.firstPoint, to: first.width, by: Self.spacing))
        rows = Array(stride(from: Self.firstPoint, to: first.height, by: Self.spacing))
    }

    /// The points whose match is alone, in row-major order.
    func matches() -> [Match] {
        let points = columns.count * rows.count
        guard points > 0, first.width == second.width, first.height == second.height else { return [] }
        let sums = sums()
        let displacements = Self.displacements
        // The sides of the windows that are inside both pictures, by displacement.
        let widths = columns.map { x in displacements.map { inside(around: x, $0.dx, first.width).count } }
        var costs = [BlockCost](repeating: BlockCost(sum: 0, pixels: 0), count: displacements.count)
        var matches: [Match] = []
        matches.reserveCapacity(points)
        for (row, y) in rows.enumerated() {
            let heights = displacements.map { inside(around: y, $0.dy, first.height).count }
            for (column, x) in columns.enumerated() {
                let point = row * columns.count + column
                let widths = widths[column]
                for index in displacements.indices {
                    costs[index] = BlockCost(sum: Int(sums[index * points + point]), pixels: widths[index] * heights[index])
                }
                if let best = Self.best(costs, displacements) {
                    matches.append(Match(x: x, y: y, dx: displacements[best].dx, dy: displacements[best].dy))
                }
            }
        }
        return matches
    }

    /// The index of the least cost, if it is alone.
    private static func best(_ costs: [BlockCost], _ displacements: [(dx: Int, dy: Int)]) -> Int? {
        var best: Int?
        for (index, cost) in costs.enumerated() where BlockCost.isEnough(cost.pixels, radius: radius) {
            if let known = best, !cost.isLess(of: costs[known]) { continue }
            best = index
        }
        guard let best else { return nil }
        let match = displacements[best]
        for (index, cost) in costs.enumerated() where cost.isLess(thanTenths: aloneTenths, of: costs[best]) {
            let other = displacements[index]
            guard max(abs(other.dx - match.dx), abs(other.dy - match.dy)) > alone else { continue }
            if BlockCost.isEnough(cost.pixels, radius: radius) { return nil }
        }
        return best
    }

    /// The part of a window's side that is inside both pictures.
    private func inside(around place: Int, _ displacement: Int, _ side: Int) -> Range<Int> {
        let start = max(place - Self.radius, max(0, -displacement))
        return start..<max(start, min(place + Self.radius + 1, min(side, side - displacement)))
    }

    /// The sum of absolute differences of each point at each displacement: point by point for the first, and so on.
    private func sums() -> [UInt32] {
        let points = columns.count * rows.count
        let width = first.width
        var sums = [UInt32](repeating: 0, count: points * Self.displacements.count)
        // Sums of columns over a window's rows: at most 11 × 4080.
        var strip = [UInt16](repeating: 0, count: width)
        // Sums of the strip up to each column.
        var running = [UInt32](repeating: 0, count: width + 1)
        first.values.withUnsafeBufferPointer { first in
            second.values.withUnsafeBufferPointer { second in
                strip.withUnsafeMutableBufferPointer { strip in
                    running.withUnsafeMutableBufferPointer { running in
                        for (index, by) in Self.displacements.enumerated() {
                            let from = max(0, -by.dx)
                            let count = min(width, width - by.dx) - from
                            guard count > 0 else { continue }
                            for (row, y) in rows.enumerated() {
                                for x in 0..<width { strip[x] = 0 }
                                for line in inside(around: y, by.dy, self.first.height) {
                                    let here = UnsafeBufferPointer(rebasing: first[line * width + from..<line * width + from + count])
                                    let start = (line + by.dy) * width + from + by.dx
                                    let there = UnsafeBufferPointer(rebasing: second[start..<start + count])
                                    Self.addDifferences(here, there, to: UnsafeMutableBufferPointer(rebasing: strip[from..<from + count]))
                                }
                                var sum: UInt32 = 0
                                for x in 0..<width {
                                    running[x] = sum
                                    sum &+= UInt32(strip[x])
                                }
                                running[width] = sum
                                let place = index * points + row * columns.count
                                for (column, x) in columns.enumerated() {
                                    sums[place + column] = running[min(x + Self.radius + 1, width)] &- running[max(x - Self.radius, 0)]
                                }
                            }
                        }
                    }
                }
            }
        }
        return sums
    }

    @inline(__always)
    private static func addDifferences(
        _ first: UnsafeBufferPointer<Int16>, _ second: UnsafeBufferPointer<Int16>, to sums: UnsafeMutableBufferPointer<UInt16>
    ) {
        guard let first = first.baseAddress, let second = second.baseAddress, let output = sums.baseAddress else { return }
        for x in 0..<sums.count {
            let difference = first[x] &- second[x]
            output[x] &+= UInt16(bitPattern: difference < 0 ? 0 &- difference : difference)
        }
    }
}
