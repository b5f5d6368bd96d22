/// Whether depth moves with the picture: votes of the places that move and have depth edges around them. Depth is compared along the
/// motion, against it, and as if nothing had moved; a vote is in favour if it fits best along the motion. Depth by chance gives a third in
/// favour, depth that stands still gives none.
struct MotionVotes: Equatable {
    private(set) var total = 0
    private(set) var inFavour = 0

    /// The least motion in pixels of the half size, and the largest cost in tenths of that of staying put.
    static let leastMotion = 2
    static let costTenths = 7
    /// Depth edges and valid pixels that a window of 13 × 13 must have; of the valid ones more than that.
    static let leastEdges = 12
    static let validPixels = 60
    /// The largest difference of ln z that is counted, and the least by which the three means must differ.
    static let greatest = HalfDepth.unit / 4
    static let leastSpread = 0.01 * Double(HalfDepth.unit)

    /// The share of votes in favour over all pairs of keyframes; `nil` under 200 votes, or with fewer than 10 pairs of 3 votes.
    static func coherence(_ pairs: [MotionVotes]) -> Double? {
        let total = pairs.reduce(0) { $0 + $1.total }
        guard total >= 200, pairs.count(where: { $0.total >= 3 }) >= 10 else { return nil }
        return Double(pairs.reduce(0) { $0 + $1.inFavour }) / Double(total)
    }

    init(_ motion: MotionField, from first: HalfDepth, to second: HalfDepth) {
        guard first.width == second.width, first.height == second.height else { return }
        for match in motion.matches {
            guard match.dx * match.dx + match.dy * match.dy >= Self.leastMotion * Self.leastMotion,
                let unmoved = match.unmovedCost, Self.isFarBelow(match.cost, unmoved)
            else { continue }
            let window = Window(match, first)
            guard window.edges(of: first) >= Self.leastEdges,
                let along = window.difference(first, second, match.dx, match.dy),
                let against = window.difference(first, second, -match.dx, -match.dy),
                let unmovedDepth = window.difference(first, second, 0, 0)
            else { continue }
            let spread = max(along, max(against, unmovedDepth)) - min(along, min(against, unmovedDepth))
            guard spread >= Self.leastSpread else { continue }
            total += 1
            if along < against, along < unmovedDepth { inFavour += 1 }
        }
    }

    /// At most seven tenths.
    private static func isFarBelow(_ cost: BlockCost, _ unmoved: BlockCost) -> Bool {
        10 * cost.sum * unmoved.pixels <= costTenths * unmoved.sum * cost.pixels
    }

    /// The part of a 13 × 13 window that is inside the picture.
    private struct Window {
        let columns: Range<Int>
        let rows: Range<Int>

        init(_ match: MotionField.Match, _ depth: HalfDepth) {
            let radius = MotionField.halfRadius
            columns = max(match.x - radius, 0)..<min(match.x + radius + 1, depth.width)
            rows = max(match.y - radius, 0)..<min(match.y + radius + 1, depth.height)
        }

        func edges(of depth: HalfDepth) -> Int {
            var count = 0
            for y in rows { for x in columns where depth.edges[y * depth.width + x] { count += 1 } }
            return count
        }

        /// The mean of min(|ln z − ln z′|, 0.25) in units of 2⁻²⁰, z′ moved; `nil` with too few valid pixels.
        func difference(_ first: HalfDepth, _ second: HalfDepth, _ dx: Int, _ dy: Int) -> Double? {
            let (width, height) = (first.width, first.height)
            let left = max(columns.lowerBound, -dx)
            let right = max(left, min(columns.upperBound, width - dx))
            var sum = 0
            var count = 0
            for y in rows where y + dy >= 0 && y + dy < height {
                for x in left..<right {
                    let here = first.logarithms[y * width + x]
                    let there = second.logarithms[(y + dy) * width + x + dx]
                    guard here != HalfDepth.missing, there != HalfDepth.missing else { continue }
                    sum += min(Int(abs(here - there)), MotionVotes.greatest)
                    count += 1
                }
            }
            return count > MotionVotes.validPixels ? Double(sum) / Double(count) : nil
        }
    }
}
