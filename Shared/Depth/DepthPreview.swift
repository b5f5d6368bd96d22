public import Models

/// Draws depth maps as pictures: near is light and warm, far is dark and cool, on a logarithmic scale of metres. A pixel without a
/// measurement is never black, which would look far away: it has grey stripes.
public enum DepthPreview {
    /// Longer side of the picture in pixels.
    public static let longSide = 768
    /// The size of the largest file.
    public static let maximumBytes = 40_000
    /// Longer sides, in map pixels, to try if the file is too large. That happens with noise, not with maps of real sensors.
    private static let coarserSides = [256, 160, 96, 64]

    /// - Parameters:
    ///   - rotation: quarter turns clockwise that bring the map upright, as in `DepthMeasurements`.
    ///   - isMirrored: whether left and right change places before the map is turned (``FittedDepth/isMirrored(photo:exifOrientation:)``).
    ///   - aspect: width and height of the upright photo, whose proportions the picture gets; `nil` keeps the map's.
    ///   - detail: resolution along the longer side, in pixels of the measured map (`DepthMap.measuredSize`).
    ///   - scale: `nil` for the map's own.
    /// - Returns: the map upright, by nearest neighbour; pixels without a measurement have grey stripes.
    public static func render(
        depth map: DepthMap, rotation: Int, isMirrored: Bool = false, aspect: (width: Int, height: Int)? = nil, detail: Int = longSide,
        scale: DepthPreviewScale? = nil
    ) -> DepthPicture {
        let map = map.reduced()
        let turns = (rotation % 4 + 4) % 4
        let upright = turns % 2 == 0 ? (width: map.width, height: map.height) : (width: map.height, height: map.width)
        let (width, height) = pictureSize(aspect ?? upright)
        let scale = scale ?? DepthPreviewScale(map)
        var known = DepthLevels(scale)
        var levels = map.metres.map { known.level(of: $0) }
        if isMirrored { for start in stride(from: 0, to: levels.count, by: map.width) { levels[start..<start + map.width].reverse() } }
        let columns = sources(of: width, in: upright.width, detail: detail)
        let rows = sources(of: height, in: upright.height, detail: detail)
        var indices: [UInt8] = []
        indices.reserveCapacity(width * height)
        // Several rows of the picture show the same one of the map; only the stripes differ.
        var line: [UInt8] = []
        var gaps: [Int] = []
        for (y, row) in rows.enumerated() {
            if y == 0 || row != rows[y - 1] {
                // Where the row begins in the map, and the way to its next pixel.
                let (first, step) =
                    switch turns {
                    case 1: ((map.height - 1) * map.width + row, -map.width)
                    case 2: ((map.height - 1 - row) * map.width + map.width - 1, -1)
                    case 3: (map.width - 1 - row, map.width)
                    default: (row * map.width, 1)
                    }
                line = levels.withUnsafeBufferPointer { levels in columns.map { levels[first + $0 * step] } }
                gaps = line.indices.filter { line[$0] == DepthLevels.unmeasured }
            }
            indices += line
            for x in gaps { indices[y * width + x] = stripe(x, y) }
        }
        return DepthPicture(width: width, height: height, indices: indices, palette: DepthPalette.bytes, scale: scale)
    }

    /// Renders and encodes a picture of at most ``maximumBytes``; at a lower resolution if noise makes the file too large.
    /// - Parameters:
    ///   - isMirrored: as of ``render(depth:rotation:isMirrored:aspect:detail:scale:)``.
    ///   - scale: `nil` for the map's own.
    ///   - encode: writes a PNG.
    /// - Returns: the file, its size in pixels, and the scale for the legend beside it.
    public static func file<Failure: Error>(
        depth map: DepthMap, rotation: Int, isMirrored: Bool = false, aspect: (width: Int, height: Int)?, scale: DepthPreviewScale? = nil,
        encode: (DepthPicture) throws(Failure) -> [UInt8]
    ) throws(Failure) -> (bytes: [UInt8], width: Int, height: Int, scale: DepthPreviewScale) {
        var picture = render(depth: map, rotation: rotation, isMirrored: isMirrored, aspect: aspect, scale: scale)
        var bytes = try encode(picture)
        for side in coarserSides where bytes.count > maximumBytes {
            picture = render(depth: map, rotation: rotation, isMirrored: isMirrored, aspect: aspect, detail: side, scale: scale)
            bytes = try encode(picture)
        }
        return (bytes, picture.width, picture.height, picture.scale)
    }

    /// The long side is fixed, the short one follows from the proportions, at most 8 : 1.
    private static func pictureSize(_ shape: (width: Int, height: Int)) -> (width: Int, height: Int) {
        let (width, height) = (max(shape.width, 1), max(shape.height, 1))
        let ratio = max(Double(min(width, height)) / Double(max(width, height)), 0.125)
        let shortSide = Int((Double(longSide) * ratio).rounded())
        return width >= height ? (longSide, shortSide) : (shortSide, longSide)
    }

    /// The map pixel that each of `count` picture pixels shows, along one side of `side` map pixels.
    static func sources(of count: Int, in side: Int, detail: Int) -> [Int] {
        let cells = min(side, max(detail, 1))
        return (0..<count).map { position in
            let cell = position * cells / count
            // The middle of the cell; at full resolution the pixel itself.
            return (2 * cell + 1) * side / (2 * cells)
        }
    }

    /// `nil` for a pixel without a measurement.
    static func level(of metres: Double, in scale: DepthPreviewScale) -> UInt8? {
        DepthMap.isValid(metres) ? level(of: metres, in: scale, extent: scale.extent) : nil
    }

    /// - Parameters:
    ///   - metres: more than 0.
    ///   - extent: of the scale.
    static func level(of metres: Double, in scale: DepthPreviewScale, extent: Double) -> UInt8 {
        let position = min(max(scale.position(of: metres, extent: extent), 0), 1)
        return UInt8(min(Int(position * Double(DepthPalette.levels)), DepthPalette.levels - 1))
    }

    /// 45° stripes, the light ones 3 of 8 px across, as in the site's legend.
    static func stripe(_ x: Int, _ y: Int) -> UInt8 {
        // 181 / 256 is 1 / √2: x + y grows by that much for a pixel across the stripes.
        (x + y) * 181 / 256 % 8 < 3 ? DepthPalette.lightStripe : DepthPalette.darkStripe
    }
}

/// A picture of few colours: one palette index a pixel, row-major, top row first.
public struct DepthPicture: Sendable, Equatable {
    public let width: Int
    public let height: Int
    /// Each is below the palette's number of colours.
    public let indices: [UInt8]
    /// Red, green and blue of each colour, three bytes each: 64 levels from near to far, then the two greys of pixels without a
    /// measurement.
    public let palette: [UInt8]
    /// The distances that the colours represent; the picture itself has no text.
    public let scale: DepthPreviewScale

    /// Red, green and blue of each pixel, 3 × width × height bytes.
    public var rgb: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(indices.count * 3)
        for index in indices { bytes.append(contentsOf: palette[Int(index) * 3..<Int(index) * 3 + 3]) }
        return bytes
    }
}

extension DepthPreviewScale {
    /// From the 2nd to the 98th percentile of the measured map's valid pixels; 0.5 m to 5 m without any. It spans at least a factor of 2,
    /// so that a flat wall looks flat and not like a canyon.
    public init(_ map: DepthMap) {
        let metres = map.reduced().metres
        var counts = [Int](repeating: 0, count: DepthCode.count)
        for depth in metres { counts[Int(DepthCode.code(of: depth))] += 1 }
        self.init(count: metres.count - counts[0]) { place in
            guard let found = DepthCode.find(place, in: counts) else { return 0 }
            // Codes ascend as depths do, so only depths of the same code are left to compare.
            let depths = metres.filter { Int(DepthCode.code(of: $0)) == found.code }
            return Median.value(at: found.place, of: depths.map { Double($0) }) ?? 0
        }
    }

    /// - Parameters:
    ///   - count: of measured depths.
    ///   - metres: the depth at an index in ascending order.
    init(count: Int, sorted metres: (Int) -> Double) {
        guard count > 0 else {
            self.init(near: 0.5, far: 5)
            return
        }
        let near = metres(count * 2 / 100)
        let far = metres(min(count * 98 / 100, count - 1))
        let middle = (near * far).squareRoot()
        self.init(near: min(near, middle / 2.0.squareRoot()), far: max(far, middle * 2.0.squareRoot()))
    }
}
