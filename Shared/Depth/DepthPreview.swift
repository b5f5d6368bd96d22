/// Draws depth maps for people (`guides/site.md` §6).
public enum DepthPreview {
    /// Longer side of the picture in pixels.
    public static let longSide = 768

    /// - Parameters:
    ///   - rotation: quarter turns clockwise that bring the map upright, as in `DepthMeasurements`.
    ///   - aspect: width and height of the upright photo, whose proportions the picture gets; `nil` keeps the map's.
    ///   - showsScale: whether a bar with distances in metres is drawn into the lower left corner.
    /// - Returns: the map upright, nearest neighbour, pixels without a measurement striped grey.
    public static func render(
        depth map: DepthMap, rotation: Int, aspect: (width: Int, height: Int)? = nil, showsScale: Bool = true
    ) -> DepthPicture {
        let turns = (rotation % 4 + 4) % 4
        let upright = turns % 2 == 0 ? (width: map.width, height: map.height) : (width: map.height, height: map.width)
        let (width, height) = pictureSize(aspect ?? upright)
        let scale = DepthScale(map)
        let levels = map.metres.map { level(of: Double($0), in: scale) }
        var indices: [UInt8] = []
        indices.reserveCapacity(width * height)
        for y in 0..<height {
            let row = y * upright.height / height
            for x in 0..<width {
                let column = x * upright.width / width
                let source =
                    switch turns {
                    case 1: (map.height - 1 - column) * map.width + row
                    case 2: (map.height - 1 - row) * map.width + map.width - 1 - column
                    case 3: column * map.width + map.width - 1 - row
                    default: row * map.width + column
                    }
                indices.append(levels[source] ?? stripe(x, y))
            }
        }
        var picture = DepthPicture(width: width, height: height, indices: indices, palette: DepthPalette.bytes)
        if showsScale { ScaleBar(scale: scale).draw(into: &picture) }
        return picture
    }

    /// The long side fixed, the short one by the proportions, at most 8 : 1.
    private static func pictureSize(_ shape: (width: Int, height: Int)) -> (width: Int, height: Int) {
        let (width, height) = (max(shape.width, 1), max(shape.height, 1))
        let ratio = max(Double(min(width, height)) / Double(max(width, height)), 0.125)
        let shortSide = Int((Double(longSide) * ratio).rounded())
        return width >= height ? (longSide, shortSide) : (shortSide, longSide)
    }

    /// `nil` where there is no measurement.
    private static func level(of metres: Double, in scale: DepthScale) -> UInt8? {
        guard DepthMap.isValid(metres) else { return nil }
        let position = min(max(scale.position(of: metres), 0), 1)
        return UInt8(min(Int(position * Double(DepthPalette.levels)), DepthPalette.levels - 1))
    }

    /// 45° stripes with a period of 8 px.
    private static func stripe(_ x: Int, _ y: Int) -> UInt8 {
        (x + y) % 8 < 4 ? DepthPalette.darkStripe : DepthPalette.lightStripe
    }
}
