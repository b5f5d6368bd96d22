/// How a depth map may lie against its photo: phones store the photo upright and the depth sideways.
struct DepthOrientation: Equatable {
    /// Quarter turns clockwise that bring the depth map upright, 0...3.
    let rotation: Int
    /// EXIF orientations to apply in turn to the stored photo so that it lies as the depth map does.
    let photoSteps: [Int]

    /// The orientations that the EXIF orientation and the shapes leave open, the likeliest first; never empty.
    ///
    /// - Same shape as the stored photo (both wide or both tall): both lie as the sensor does, and the EXIF orientation says how.
    /// - The other shape: the photo was stored upright, the depth was not. If turning the photo by its EXIF orientation gives
    ///   the depth's shape, the depth is upright or upside down, else a quarter turn to either side.
    /// - A square says nothing: an EXIF orientation decides, else every rotation is open.
    static func candidates(depth: (width: Int, height: Int), photo: LumaImage?, exif: Int?) -> [DepthOrientation] {
        let orientation = exif.flatMap { (1...8).contains($0) ? $0 : nil } ?? 1
        let together = DepthOrientation(rotation: quarterTurns(orientation), photoSteps: [])
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

    /// The photo at the depth map's size and lying as it does.
    func apply(to photo: LumaImage, width: Int, height: Int) -> LumaImage {
        // Scaled first, in exact arithmetic, since turning a small picture is cheaper and gives the same.
        let swaps = photoSteps.count { (5...8).contains($0) } % 2 == 1
        let small = photo.scaled(toWidth: swaps ? height : width, height: swaps ? width : height)
        return photoSteps.reduce(small) { $0.oriented($1) }
    }

    /// Quarter turns clockwise in an EXIF orientation, mirroring (2, 4, 5, 7) left out.
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
