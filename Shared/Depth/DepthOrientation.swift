/// A possible orientation of a depth map relative to its photo: phones may store the photo upright and the depth map sideways.
struct DepthOrientation: Equatable {
    /// Quarter turns clockwise that bring the depth map upright, 0...3.
    let rotation: Int
    /// EXIF orientations to apply in order to the stored photo, so that it matches the depth map.
    let photoSteps: [Int]
    /// Whether the depth map must also be mirrored to be upright: left and right change places before it is turned.
    var isMirrored = false

    /// The orientations that EXIF orientation and shapes allow, most likely first; never empty.
    ///
    /// - Photo and depth map are both wide or both tall: both are stored as the sensor lies, and the EXIF orientation applies to both.
    /// - One is wide and one is tall: the photo was stored upright, the depth map was not. If the photo, turned by its EXIF orientation,
    ///   has the depth map's shape, the map is upright or upside down; else it is turned by a quarter to either side.
    /// - One is square: the EXIF orientation applies if there is one, else every rotation is possible.
    static func candidates(depth: (width: Int, height: Int), photo: (width: Int, height: Int)?, exif: Int?) -> [DepthOrientation] {
        let orientation = exif.flatMap { (1...8).contains($0) ? $0 : nil } ?? 1
        let together = DepthOrientation(
            rotation: quarterTurns(orientation), photoSteps: [], isMirrored: [2, 4, 5, 7].contains(orientation))
        guard let photo else { return [together] }
        let isSquare = depth.width == depth.height || photo.width == photo.height
        let rotations: [Int]
        if isSquare {
            guard orientation == 1 else { return [together] }
            rotations = [0, 1, 3, 2]
        } else if (depth.width > depth.height) == (photo.width > photo.height) {
            return [together]
        } else {
            rotations = (5...8).contains(orientation) ? [0, 2] : [1, 3]
        }
        return rotations.map { rotation in
            DepthOrientation(rotation: rotation, photoSteps: [orientation, turning(back: rotation)])
        }
    }

    /// The photo at the depth map's size and in its orientation.
    func apply(to photo: LumaImage, width: Int, height: Int) -> LumaImage {
        // Scaled first: the arithmetic is exact, so the result is the same, and rotating a small picture is cheaper.
        let swaps = photoSteps.count { (5...8).contains($0) } % 2 == 1
        let small = photo.scaled(toWidth: swaps ? height : width, height: swaps ? width : height)
        return photoSteps.reduce(small) { $0.oriented($1) }
    }

    /// Quarter turns clockwise of an EXIF orientation, for 2, 4, 5 and 7 of the mirrored picture.
    private static func quarterTurns(_ orientation: Int) -> Int {
        switch orientation {
        case 3, 4: 2
        case 6, 7: 1
        case 5, 8: 3
        default: 0
        }
    }

    /// The EXIF orientation that undoes this many quarter turns clockwise.
    private static func turning(back rotation: Int) -> Int {
        switch rotation {
        case 1: 8
        case 2: 3
        case 3: 6
        default: 1
        }
    }
}
