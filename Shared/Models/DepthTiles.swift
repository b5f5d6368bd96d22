/// How the keyframes of a video lie in `depth-frames.jpg` (SPEC §10.7).
public enum DepthTiles {
    /// Tiles in a row, unless there are fewer keyframes.
    public static let perRow = 10
    /// Sides of a tile in pixels.
    public static let longSide = 128
    public static let shortSide = 96

    /// Pixels of a tile, upright.
    /// - Parameter isWide: whether the longer side is horizontal.
    public static func size(isWide: Bool) -> (width: Int, height: Int) { isWide ? (longSide, shortSide) : (shortSide, longSide) }
}
