/// The motion between the pictures of two keyframes on a grid of points: each is searched at quarter size, then more finely at half size
/// around what was found. A point is left out if the search at quarter size fits two places about equally well.
struct MotionField {
    /// A place whose surroundings were found in the other picture. All in pixels of the half size.
    struct Match: Equatable {
        let x: Int
        let y: Int
        /// From the first picture to the second.
        let dx: Int
        let dy: Int
        /// The difference of the surroundings along the motion, and without any; `nil` if too little is inside.
        let cost: BlockCost
        let unmovedCost: BlockCost?
    }

    /// Distance of grid points, and of the first ones from the border, in pixels of the half size.
    static let spacing = 8
    static let firstPoint = 4
    /// Largest motion at quarter size, and around twice the one found there at half size, in each axis.
    static let reach = 6
    static let refinement = 2
    /// Half the sides of the windows compared: 11 × 11 and 13 × 13.
    static let quarterRadius = 5
    static let halfRadius = 6

    /// In row-major order of the grid.
    let matches: [Match]

    init(from first: DetailPyramid, to second: DetailPyramid) {
        let coarse = CoarseSearch(from: first.quarter, to: second.quarter).matches()
        let fine = FineSearch(first: first.half, second: second.half)
        matches = coarse.compactMap { match in fine.match(atX: 2 * match.x, y: 2 * match.y, around: (2 * match.dx, 2 * match.dy)) }
    }

    /// The displacements up to a reach in each axis, shorter ones first; equally long ones by rows.
    static func displacements(upTo reach: Int) -> [(dx: Int, dy: Int)] {
        var all: [(dx: Int, dy: Int)] = []
        for dy in -reach...reach { for dx in -reach...reach { all.append((dx, dy)) } }
        // Sorting is stable only by what is compared.
        return all.sorted { a, b in
            let (lengthA, lengthB) = (a.dx * a.dx + a.dy * a.dy, b.dx * b.dx + b.dy * b.dy)
            return (lengthA, a.dy, a.dx) < (lengthB, b.dy, b.dx)
        }
    }
}

/// The mean absolute difference of two windows, as a sum over pixels that are inside both pictures.
struct BlockCost: Equatable {
    /// In eighths of a grey level.
    let sum: Int
    let pixels: Int

    /// Whether this mean is less than `factor` tenths of the other.
    @inline(__always)
    func isLess(thanTenths factor: Int = 10, of other: BlockCost) -> Bool { 10 * sum * other.pixels < factor * other.sum * pixels }

    /// Whether enough of a window is inside: 60 %.
    @inline(__always)
    static func isEnough(_ pixels: Int, radius: Int) -> Bool { pixels * 10 >= (2 * radius + 1) * (2 * radius + 1) * 6 }
}
