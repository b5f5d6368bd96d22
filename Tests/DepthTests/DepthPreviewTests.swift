import Foundation
import Imaging
import Models
import Testing

@testable import Depth

@Suite("Depth preview")
struct DepthPreviewTests {
    private func render(_ map: DepthMap, rotation: Int = 0, aspect: (width: Int, height: Int)? = nil) -> DepthPicture {
        DepthPreview.render(depth: map, rotation: rotation, aspect: aspect)
    }

    /// Perceptual lightness, 0...255.
    private func lightness(_ picture: DepthPicture, x: Int, y: Int) -> Double {
        let index = Int(picture.indices[y * picture.width + x]) * 3
        let (red, green, blue) = (picture.palette[index], picture.palette[index + 1], picture.palette[index + 2])
        return 0.3 * Double(red) + 0.59 * Double(green) + 0.11 * Double(blue)
    }

    @Test(
        "is 768 px long and has the shape of the upright map",
        arguments: [(0, 768, 576), (1, 576, 768), (2, 768, 576), (3, 576, 768), (-1, 576, 768)])
    func size(rotation: Int, width: Int, height: Int) throws {
        let picture = render(try Maps.make { _, _ in 1 }, rotation: rotation)
        #expect(picture.width == width && picture.height == height)
        #expect(picture.indices.count == width * height && picture.rgb.count == width * height * 3)
    }

    @Test(
        "takes the photo's proportions, within reason",
        arguments: [((4032, 3024), 768, 576), ((1080, 1920), 432, 768), ((1, 5000), 96, 768), ((0, -1), 768, 768)])
    func aspect(shape: (Int, Int), width: Int, height: Int) throws {
        let picture = render(try Maps.make { _, _ in 1 }, aspect: (shape.0, shape.1))
        #expect(picture.width == width && picture.height == height)
    }

    @Test("turns the map clockwise", arguments: [(0, 5, 5), (1, 570, 5), (2, 760, 570), (3, 5, 760)])
    func rotation(turns: Int, x: Int, y: Int) throws {
        // Near only in the upper left quarter.
        let picture = render(try Maps.make { u, v in u < 0 && v < 0 ? 0.5 : 5 }, rotation: turns)
        #expect(lightness(picture, x: x, y: y) > 200)
        #expect(lightness(picture, x: picture.width - 1 - x, y: picture.height - 1 - y) < 60)
    }

    @Test("lies as a photo of the same orientation does, turned and mirrored", arguments: 1...8)
    func orientation(orientation: Int) throws {
        let map = try Maps.make { u, v in
            let (step, corner) = (v < 0 ? 0.6 : 0.0, u < -0.5 && v < -0.5 ? 1.0 : 0.0)
            return 2 + 0.8 * u + step + corner
        }
        let stored = render(map)
        let surface = FittedDepth(map)
        let photo = (width: 4032, height: 3024)
        let picture = DepthPreview.render(
            depth: map, rotation: surface.likelyRotation(photo: photo, exifOrientation: orientation),
            isMirrored: surface.isMirrored(photo: photo, exifOrientation: orientation))
        let expected = try LumaImage(width: stored.width, height: stored.height, pixels: stored.indices).oriented(orientation)
        #expect(picture.width == expected.width && picture.height == expected.height)
        #expect(picture.indices == expected.pixels)
    }

    @Test("gets darker with every step away")
    func palette() throws {
        let picture = render(try Maps.make { u, _ in 3 + 2.5 * u })
        let row = stride(from: 0, to: 768, by: 24).map { lightness(picture, x: $0, y: 300) }
        #expect(zip(row, row.dropFirst()).allSatisfy { $0 >= $1 })
        #expect(row[0] > 200 && row[31] < 50)
    }

    @Test("leaves a flat wall nearly one colour")
    func wall() throws {
        var random = Randomness(8)
        let picture = render(try Maps.make { _, _ in 2 * Maps.noise(&random) })
        let levels = picture.indices.map(Int.init)
        let (darkest, lightest) = (try #require(levels.max()), try #require(levels.min()))
        #expect(darkest - lightest < 8)
    }

    @Test("stripes what has no measurement in two greys", arguments: [Double.nan, 0, -1, .infinity])
    func invalid(value: Double) throws {
        let picture = render(try Maps.make { u, _ in u < 0 ? value : 1 })
        let left = Set((0..<300).map { picture.indices[300 * picture.width + $0] })
        #expect(left == [DepthPalette.darkStripe, DepthPalette.lightStripe])
        #expect(picture.indices[300 * picture.width + 500] < DepthPalette.levels)
        #expect(Set(render(try Maps.make { _, _ in value }).indices).count == 2)
    }

    @Test("stripes run at 45° with a period of 8 px across, light for 3 of them")
    func stripes() throws {
        let picture = render(try Maps.make { _, _ in 0 })
        for offset in 0..<100 {
            let along = (0...5).map { picture.indices[(50 + $0) * picture.width + 100 + offset - $0] }
            #expect(Set(along).count == 1)
        }
        // 8 px across are 8·√2 along a row: 50 stripes in 566 px.
        let row = picture.indices[..<566]
        let starts = zip(row, row.dropFirst()).count { $0 == DepthPalette.darkStripe && $1 == DepthPalette.lightStripe }
        #expect((49...50).contains(starts))
        #expect(abs(Double(row.count { $0 == DepthPalette.lightStripe }) / 566 - 0.375) < 0.02)
    }

    @Test("has 64 colours and two greys, the ends and stops those of the site")
    func colours() throws {
        let palette = render(try Maps.make { _, _ in 1 }).palette
        #expect(palette.count == 66 * 3)
        #expect(Array(palette[..<3]) == [0xFB, 0xF0, 0xBA] && Array(palette[189..<192]) == [0x15, 0x12, 0x40])
        #expect(Array(palette[192...]) == [0x8D, 0x91, 0x96, 0xC3, 0xC6, 0xC9])
    }

    @Test("enlarges by nearest neighbour: no colour that is not in the map")
    func nearest() throws {
        let picture = render(try Maps.make(width: 16, height: 12) { u, _ in u < 0 ? 0.5 : 4 })
        #expect(Set(picture.indices) == [0, 63])
        let row = picture.indices[..<768]
        #expect(row[..<384].allSatisfy { $0 == 0 } && row[384...].allSatisfy { $0 == 63 })
    }

    @Test("shows in each pixel the level of its map pixel, computed alone, or a stripe", arguments: 0..<4, [false, true])
    func pixels(rotation: Int, isMirrored: Bool) throws {
        var random = Randomness(11)
        // Depths at the ends of the valid ones and no depths, any depths, and depths close together.
        let ends: [Double] = [0.1, Double(Float(0.1).nextUp), 20, .nan, 0, 0.0999, 20.01]
        let map = try Maps.make(width: 97, height: 61) { _, _ in
            let kind = random.unit()
            if kind < 0.1 { return ends[Int(random.unit() * Double(ends.count))] }
            return kind < 0.2 ? 0.1 + 19.9 * random.unit() : 1 + random.unit()
        }
        let scale = DepthPreviewScale(map)
        for (width, height, detail) in [(300, 200, 768), (200, 300, 50)] {
            let picture = DepthPreview.render(
                depth: map, rotation: rotation, isMirrored: isMirrored, aspect: (width, height), detail: detail)
            let isTurned = rotation % 2 == 1
            let columns = DepthPreview.sources(of: picture.width, in: isTurned ? map.height : map.width, detail: detail)
            let rows = DepthPreview.sources(of: picture.height, in: isTurned ? map.width : map.height, detail: detail)
            var wrong = 0
            for y in 0..<picture.height {
                for x in 0..<picture.width {
                    let (across, down) =
                        switch rotation {
                        case 1: (rows[y], map.height - 1 - columns[x])
                        case 2: (map.width - 1 - columns[x], map.height - 1 - rows[y])
                        case 3: (map.width - 1 - rows[y], columns[x])
                        default: (columns[x], rows[y])
                        }
                    let metres = map.metres[down * map.width + (isMirrored ? map.width - 1 - across : across)]
                    let index = DepthPreview.level(of: Double(metres), in: scale) ?? DepthPreview.stripe(x, y)
                    if picture.indices[y * picture.width + x] != index { wrong += 1 }
                }
            }
            #expect(wrong == 0 && picture.scale == scale)
        }
    }

    @Test("gives each depth the level computed for it alone", arguments: [(0.5, 5.0), (1.0, 2.0), (0.1, 0.2), (14.2, 20.0), (0.11, 19.7)])
    func levels(near: Double, far: Double) {
        let scale = DepthPreviewScale(near: near, far: far)
        var random = Randomness(12)
        var depths = (0..<20_000).map { _ in Float(21 * random.unit()) }
        // The ends of the codes, and both sides of the borders of the levels.
        for code in 1..<DepthCode.count {
            let (first, last) = DepthCode.ends(of: UInt16(code))
            depths += [first, last]
        }
        for level in 0...64 {
            var depth = Float(near * pow(far / near, Double(level) / 64)).nextDown.nextDown
            for _ in 0..<5 {
                depths.append(depth)
                depth = depth.nextUp
            }
        }
        var known = DepthLevels(scale)
        let wrong = depths.count { depth in
            known.level(of: depth) != DepthPreview.level(of: Double(depth), in: scale) ?? DepthLevels.unmeasured
        }
        #expect(wrong == 0)
    }

    @Test("has a scale of percentiles", arguments: [(1, 1), (7, 5), (64, 48), (200, 100)])
    func percentiles(width: Int, height: Int) throws {
        var random = Randomness(UInt64(width))
        let map = try Maps.make(width: width, height: height) { _, _ in random.unit() < 0.2 ? 0 : 0.2 + 19 * random.unit() * random.unit() }
        let sorted = map.metres.map { Double($0) }.filter(DepthMap.isValid).sorted()
        let expected = DepthPreviewScale(count: sorted.count) { sorted[$0] }
        #expect(DepthPreviewScale(map) == expected)
    }

    @Test("writes 40 kB at most, of noise too", arguments: [(256, 192), (1024, 1024), (640, 480)])
    func noise(width: Int, height: Int) throws {
        var random = Randomness(5)
        let map = try Maps.make(width: width, height: height) { _, _ in random.unit() < 0.1 ? 0 : 0.2 + 19 * random.unit() }
        let file = try DepthPreview.file(depth: map, rotation: 1, aspect: (3024, 4032), encode: png)
        #expect(file.bytes.count <= DepthPreview.maximumBytes)
        #expect(Array(file.bytes[16..<24]) == [0, 0, 2, 64, 0, 0, 3, 0])
        #expect(file.scale == DepthPreviewScale(map))
    }

    @Test(
        "writes what sensors measure in full, in 40 kB at most", .enabled(if: Sample.arePresent, "needs ../shared/data/rgbd"),
        arguments: Sample.all)
    func samples(sample: Sample) throws {
        let map = try sample.depth()
        let file = try DepthPreview.file(depth: map, rotation: 0, aspect: (sample.width, sample.height), encode: png)
        #expect(file.bytes.count <= DepthPreview.maximumBytes)
        #expect(file.bytes == (try png(render(map, aspect: (sample.width, sample.height)))))
    }

    private func png(_ picture: DepthPicture) throws -> [UInt8] {
        try PNGEncoder.encode(width: picture.width, height: picture.height, indices: picture.indices, palette: picture.palette)
    }

    @Test("has a scale that spans at least a factor of two, with round ticks")
    func scale() throws {
        let wall = DepthPreviewScale(try Maps.make { _, _ in 2 })
        #expect(abs(wall.far / wall.near - 2) < 1e-9)
        #expect(wall.ticks == [2])
        let room = DepthPreviewScale(try Maps.make { u, _ in 2.55 + 2.45 * u })
        #expect(room.ticks == [0.5, 1, 2])
        #expect(room.position(of: room.near) == 0 && abs(room.position(of: room.far) - 1) < 1e-12)
    }
}
