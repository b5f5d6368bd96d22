public import Models

/// Draws all keyframes of a video as tiles of one picture, `depth-frames.jpg` (SPEC §10.7): upright, ten in a row, in the colours of
/// ``DepthPreview``, on one scale of metres for all.
///
/// Keyframes are reduced to their tiles as they come: 24 kB each.
public struct DepthFrames: Sendable {
    /// Pixels of a tile, upright: the longer side is horizontal unless the upright map is tall.
    public let tileWidth: Int
    public let tileHeight: Int
    /// Number of keyframes so far.
    public private(set) var count = 0
    /// Tiles in a row of the picture: fewer than `DepthTiles.perRow` if there are fewer keyframes.
    public var columns: Int { min(count, DepthTiles.perRow) }

    private let layout: VideoDepthLayout
    /// Pixels of a tile as the maps lie.
    private let width: Int
    private let height: Int
    /// Depths of all tiles, as the maps lie.
    private var codes: [UInt16] = []
    private var counts = [Int](repeating: 0, count: DepthCode.count)

    public init(layout: VideoDepthLayout) {
        self.layout = layout
        (tileWidth, tileHeight) = DepthTiles.size(isWide: layout.isUprightWide)
        let isTurned = layout.rotation(of: layout.placements[0]) % 2 == 1
        (width, height) = isTurned ? (tileHeight, tileWidth) : (tileWidth, tileHeight)
    }

    /// - Throws: ``DepthError``: `shapeMismatch` for a map of another size than the layout's, `outOfOrder` for more than
    ///   ``VideoDepthAnalysis/maximumKeyframes``.
    public mutating func add(_ map: DepthMap) throws(DepthError) {
        guard map.width == layout.depthWidth, map.height == layout.depthHeight else {
            throw DepthError(.shapeMismatch, "depth of \(map.width)×\(map.height)")
        }
        guard count < VideoDepthAnalysis.maximumKeyframes else {
            throw DepthError(.outOfOrder, "more than \(VideoDepthAnalysis.maximumKeyframes) keyframes")
        }
        let columns = DepthPreview.sources(of: width, in: map.width, detail: DepthTiles.longSide)
        for row in DepthPreview.sources(of: height, in: map.height, detail: DepthTiles.longSide) {
            for column in columns {
                let code = DepthCode.code(of: map.metres[row * map.width + column])
                codes.append(code)
                counts[Int(code)] += 1
            }
        }
        count += 1
    }

    /// From the 2nd to the 98th percentile of all tiles, spanning at least a factor of 2, as for a single map.
    public var scale: DepthPreviewScale {
        let measured = counts.indices.dropFirst()
        return DepthPreviewScale(count: measured.reduce(0) { $0 + counts[$1] }) { place in
            DepthCode.metres(of: UInt16(DepthCode.find(place, in: counts)?.code ?? DepthCode.count - 1))
        }
    }

    /// All tiles in order of time; places left in the last row are grey.
    /// - Parameter rotation: quarter turns clockwise that bring the maps upright, as in `VideoDepthMeasurements`.
    /// - Returns: `nil` without a keyframe.
    public func picture(rotation: Int) -> DepthPicture? {
        guard count > 0 else { return nil }
        let scale = scale
        let levels = counts.indices.map { code -> UInt8? in
            code > 0 && counts[code] > 0 ? DepthPreview.level(of: DepthCode.metres(of: UInt16(code)), in: scale) : nil
        }
        let sources = tileSources(turns: (rotation % 4 + 4) % 4)
        let (pictureWidth, rows) = (columns * tileWidth, (count + columns - 1) / columns)
        var indices = [UInt8](repeating: DepthPalette.lightStripe, count: pictureWidth * rows * tileHeight)
        for tile in 0..<count {
            let corner = tile / columns * tileHeight * pictureWidth + tile % columns * tileWidth
            let start = tile * width * height
            for y in 0..<tileHeight {
                for x in 0..<tileWidth {
                    let code = codes[start + sources[y * tileWidth + x]]
                    indices[corner + y * pictureWidth + x] = levels[Int(code)] ?? DepthPreview.stripe(x, y)
                }
            }
        }
        return DepthPicture(
            width: pictureWidth, height: rows * tileHeight, indices: indices, palette: DepthPalette.bytes, scale: scale)
    }

    /// Where in a stored tile each pixel of the upright one lies. An odd turn of a tile that is not stored for one is an even one, so that
    /// nothing is read outside.
    private func tileSources(turns: Int) -> [Int] {
        let isTurned = width != tileWidth
        let turns = (turns % 2 == 1) == isTurned ? turns : (turns + 1) % 4
        var sources: [Int] = []
        sources.reserveCapacity(width * height)
        for y in 0..<tileHeight {
            for x in 0..<tileWidth {
                switch turns {
                case 1: sources.append((height - 1 - x) * width + y)
                case 2: sources.append((height - 1 - y) * width + width - 1 - x)
                case 3: sources.append(x * width + width - 1 - y)
                default: sources.append(y * width + x)
                }
            }
        }
        return sources
    }
}
