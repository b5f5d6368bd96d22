/// Maps the pixels of an upright picture to those of the stored one, by its EXIF orientation (Exif 2.32 §4.6.4, tag 0x0112).
struct EXIFTurn {
    /// The size of the upright picture.
    let width: Int
    let height: Int
    /// The index of the upright picture's first pixel in the stored one, and the steps to the next pixel to the right and below.
    private let first: Int
    private let across: Int
    private let down: Int
    /// In one of the two pictures consecutive pixels are far apart in memory: squares of this side stay in the cache.
    private static let tile = 32

    /// - Parameters: the size of the stored picture.
    /// - Returns: `nil` for 1, which is upright, and for unknown values.
    init?(_ orientation: Int, width: Int, height: Int) {
        let (right, bottom) = (width - 1, (height - 1) * width)
        switch orientation {
        case 2: (first, across, down) = (right, -1, width)
        case 3: (first, across, down) = (bottom + right, -1, -width)
        case 4: (first, across, down) = (bottom, 1, -width)
        case 5: (first, across, down) = (0, width, 1)
        case 6: (first, across, down) = (bottom, -width, 1)
        case 7: (first, across, down) = (bottom + right, -width, -1)
        case 8: (first, across, down) = (right, width, -1)
        default: return nil
        }
        (self.width, self.height) = orientation >= 5 ? (height, width) : (width, height)
    }

    /// - Parameter body: called with the index in the upright and in the stored picture, once per pixel.
    @inline(__always)
    func forEachPixel(_ body: (_ place: Int, _ origin: Int) -> Void) {
        for top in stride(from: 0, to: height, by: Self.tile) {
            for left in stride(from: 0, to: width, by: Self.tile) {
                for y in top..<min(top + Self.tile, height) {
                    var origin = first + y * down + left * across
                    for x in left..<min(left + Self.tile, width) {
                        body(y * width + x, origin)
                        origin += across
                    }
                }
            }
        }
    }
}
