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

    /// How the keyframes lie in a picture of this size.
    /// - Returns: pixels of a tile, and tiles in a row; `nil` if there are no keyframes, or the picture does not have a tile for each of
    ///   them.
    public static func grid(of keyframes: Int, in picture: PixelSize) -> (tile: PixelSize, columns: Int)? {
        guard keyframes > 0 else { return nil }
        let columns = min(keyframes, perRow)
        let rows = (keyframes + columns - 1) / columns
        guard picture.width % columns == 0, picture.height % rows == 0,
            let tile = PixelSize(picture.width / columns, picture.height / rows)
        else { return nil }
        return (tile, columns)
    }
}
