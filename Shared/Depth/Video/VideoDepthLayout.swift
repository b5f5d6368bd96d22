import Models

/// How the depth maps of a video may lie in its frames, and the size at which the analysis needs the frames' brightness.
///
/// A map may be turned against the frame (one is wide, the other tall: a quarter turn to either side), and cover the whole frame or only
/// its middle (proportions that differ by over 2 %). The brightness of all possible positions is cut from one plane: the whole frame as
/// stored, scaled by area to ``lumaWidth`` × ``lumaHeight``, in which the middle has exactly the size of the measured map.
public struct VideoDepthLayout: Sendable, Equatable {
    /// The size of the plane, of the whole frame as stored: at most about twice `DepthMap.measuredPixels` pixels.
    public let lumaWidth: Int
    public let lumaHeight: Int
    /// Pixels of each depth map as it comes.
    public let depthWidth: Int
    public let depthHeight: Int
    /// Pixels of each depth map as it is measured (`DepthMap.measuredSize`).
    let measured: (width: Int, height: Int)
    /// The possible positions, most likely first; never empty.
    let placements: [DepthPlacement]
    /// Quarter turns clockwise that bring the stored frame upright, 0...3.
    let frameRotation: Int

    /// - Parameters:
    ///   - frame: pixels of the frame as stored.
    ///   - depth: pixels of the depth maps.
    ///   - rotation: quarter turns clockwise that bring the stored frame upright, as the track's matrix says.
    /// - Throws: ``DepthError`` `dimensionsOutOfRange`, if a side of the maps is not in 1...`DepthMap.maximumSide`, or of the frame not in
    ///   1...65,535.
    public init(frame: (width: Int, height: Int), depth: (width: Int, height: Int), rotation: Int) throws(DepthError) {
        _ = try DepthMap.pixelCount(width: depth.width, height: depth.height)
        guard (1...65_535).contains(frame.width), (1...65_535).contains(frame.height) else {
            throw DepthError(.dimensionsOutOfRange, "frames of \(frame.width)×\(frame.height)")
        }
        let size = DepthMap.measuredSize(width: depth.width, height: depth.height)
        let isSideways = (depth.width - depth.height).signum() * (frame.width - frame.height).signum() < 0
        // The frame as it lies beside the map; the proportions are equal if these are.
        let (frameWidth, frameHeight) = isSideways ? (frame.height, frame.width) : (frame.width, frame.height)
        let (wide, tall) = (frameWidth * depth.height, frameHeight * depth.width)
        let (more, less) = (max(wide, tall), min(wide, tall))
        // No real sensor has proportions by which its map would cover less than half a frame.
        let mayBeMiddle = more * 100 > less * 102 && more <= less * 2
        // What lies beyond the middle on each side, rounded to pixels of the map.
        let side = wide > tall ? size.width : size.height
        let margin = mayBeMiddle ? (side * (more - less) + less) / (2 * less) : 0
        let plane = wide > tall ? (size.width + 2 * margin, size.height) : (size.width, size.height + 2 * margin)
        (lumaWidth, lumaHeight) = isSideways ? (plane.1, plane.0) : plane
        (depthWidth, depthHeight) = depth
        measured = size
        frameRotation = (rotation % 4 + 4) % 4
        let framings: [VideoDepthFraming] = margin > 0 ? [.whole, .middle] : [.whole]
        placements = (isSideways ? [1, 3] : [0]).flatMap { turns in framings.map { DepthPlacement(turns: turns, framing: $0) } }
    }

    /// The plane of a frame, for devices that have the frames themselves: as the decoder scales what it gives the server.
    /// - Parameter frame: the brightness of the whole frame as stored, of any size.
    public func plane(of frame: LumaImage) -> LumaImage { frame.scaled(toWidth: lumaWidth, height: lumaHeight) }

    /// Whether the maps are wider than tall, or square, when they are turned upright.
    var isUprightWide: Bool {
        (frameRotation + placements[0].turns) % 2 == 0 ? depthWidth >= depthHeight : depthHeight >= depthWidth
    }

    /// Quarter turns clockwise that bring the maps upright.
    func rotation(of placement: DepthPlacement) -> Int { (frameRotation + placement.turns) % 4 }

    public static func == (first: VideoDepthLayout, second: VideoDepthLayout) -> Bool {
        (first.lumaWidth, first.lumaHeight, first.depthWidth, first.depthHeight)
            == (second.lumaWidth, second.lumaHeight, second.depthWidth, second.depthHeight)
            && first.placements == second.placements && first.frameRotation == second.frameRotation
    }
}

/// One way in which a depth map may lie in its frame.
struct DepthPlacement: Sendable, Equatable {
    /// Quarter turns clockwise that turn the map as the stored frame lies: 0, 1 or 3.
    let turns: Int
    let framing: VideoDepthFraming

    /// The brightness of what the map covers, at its size and as it lies.
    /// - Parameter plane: of the whole frame, in the size that the layout asks for.
    func cut(_ plane: LumaImage, width: Int, height: Int) -> LumaImage {
        // EXIF orientations that undo the turn.
        let turned = turns == 1 ? plane.oriented(8) : turns == 3 ? plane.oriented(6) : plane
        switch framing {
        case .whole: return turned.scaled(toWidth: width, height: height)
        case .middle: return turned.middle(width: width, height: height)
        }
    }
}
