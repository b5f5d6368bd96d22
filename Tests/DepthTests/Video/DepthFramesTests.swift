import Models
import Testing

@testable import Depth

@Suite("All keyframes in one picture")
struct DepthFramesTests {
    private func frames(_ maps: [DepthMap], rotation: Int = 0) throws -> (frames: DepthFrames, picture: DepthPicture) {
        let (width, height) = (maps[0].width, maps[0].height)
        var frames = DepthFrames(layout: try VideoDepthLayout(frame: (width, height), depth: (width, height), rotation: rotation))
        for map in maps { try frames.add(map) }
        return (frames, try #require(frames.picture(rotation: rotation)))
    }

    @Test(
        "have tiles of 128 × 96, or 96 × 128 if upright is tall, ten in a row",
        arguments: [(1, 0, 128, 96), (10, 2, 1280, 96), (11, 0, 1280, 192), (3, 1, 288, 128), (25, 3, 960, 384)])
    func size(count: Int, rotation: Int, width: Int, height: Int) throws {
        let (frames, picture) = try frames(Array(repeating: try Maps.make { _, _ in 1 }, count: count), rotation: rotation)
        #expect(picture.width == width && picture.height == height && picture.indices.count == width * height)
        #expect(frames.columns == min(count, 10) && frames.columns * frames.tileWidth == width)
    }

    @Test("have wide tiles for square maps, whichever way the frame is turned", arguments: 0..<4)
    func square(rotation: Int) throws {
        let frames = DepthFrames(layout: try VideoDepthLayout(frame: (1920, 1080), depth: (256, 256), rotation: rotation))
        #expect(frames.tileWidth == 128 && frames.tileHeight == 96)
    }

    @Test("have one scale of metres for all, from the 2nd to the 98th percentile")
    func scale() throws {
        let maps = try [1.0, 2.0, 4.0].map { metres in try Maps.make { _, _ in metres } }
        let (frames, picture) = try frames(maps)
        #expect(picture.scale.near == 1 && picture.scale.far == 4 && frames.scale == picture.scale)
        let levels = [60, 188, 316].map { picture.indices[50 * 384 + $0] }
        #expect(levels == [0, 32, 63])
        #expect(picture.indices.count { $0 == 0 } == 128 * 96)
    }

    @Test("draw a single map as the preview does, reduced")
    func likePreview() throws {
        var random = Randomness(3)
        let map = try Maps.make { u, v in v < -0.8 ? .nan : (2 + u * v) * Maps.noise(&random) }
        let picture = try frames([map]).picture
        for (x, y) in [(5, 40), (64, 48), (127, 95), (90, 20)] {
            let expected =
                DepthMap.isValid(Double(map.metres[(2 * y + 1) * 256 + 2 * x + 1]))
                ? DepthPreview.level(of: Double(map.metres[(2 * y + 1) * 256 + 2 * x + 1]), in: picture.scale) : nil
            let drawn = picture.indices[y * 128 + x]
            if let expected { #expect(abs(Int(drawn) - Int(expected)) <= 1) } else { #expect(drawn >= DepthPalette.darkStripe) }
        }
        #expect(picture.indices[0] >= DepthPalette.darkStripe)
    }

    @Test("are turned upright clockwise", arguments: [(0, 4, 4), (1, 92, 4), (2, 124, 92), (3, 4, 124)])
    func turned(rotation: Int, x: Int, y: Int) throws {
        // Near in the upper left corner as stored.
        let map = try Maps.make { u, v in u < -0.5 && v < -0.5 ? 0.5 : 4 }
        let picture = try frames([map], rotation: rotation).picture
        #expect(picture.indices[y * picture.width + x] == 0)
        #expect(picture.indices[(picture.height - 1 - y) * picture.width + picture.width - 1 - x] == 63)
    }

    @Test("keep depths to half a thousandth, from 0.1 m to 20 m")
    func codes() {
        for step in 0...20_000 {
            let metres = Float(0.1) + Float(step) * 0.000995
            guard DepthMap.isValid(Double(metres)) else { continue }
            let code = DepthCode.code(of: metres)
            #expect(code > 0 && Int(code) < DepthCode.count)
            #expect(abs(DepthCode.metres(of: code) / Double(metres) - 1) < 0.001)
        }
        #expect(DepthCode.code(of: 20) == UInt16(DepthCode.count - 1) && DepthCode.code(of: Float(0.1)) == 1)
        for none: Float in [Float.nan, Float.infinity, 0, -1, 20.01, 0.0999] { #expect(DepthCode.code(of: none) == 0) }
    }

    @Test("may be of any maps, and of none")
    func anything() throws {
        let layout = try VideoDepthLayout(frame: (100, 100), depth: (1, 1), rotation: 0)
        #expect(DepthFrames(layout: layout).picture(rotation: 0) == nil)
        for (width, height) in [(1, 1), (1, 1024), (1024, 1), (3, 1000)] {
            for value in [Double.nan, 1, -Double.infinity] {
                for rotation in [0, 1, -1] {
                    // A turn that the layout does not expect, too.
                    let map = try Maps.make(width: width, height: height) { _, _ in value }
                    var frames = DepthFrames(layout: try VideoDepthLayout(frame: (width, height), depth: (width, height), rotation: 0))
                    try frames.add(map)
                    #expect(frames.picture(rotation: rotation)?.indices.count == 128 * 96)
                }
            }
        }
        var frames = DepthFrames(layout: layout)
        for _ in 0..<200 { try frames.add(try DepthMap(width: 1, height: 1, metres: [1])) }
        #expect(throws: DepthError.self) { try frames.add(try DepthMap(width: 1, height: 1, metres: [1])) }
        #expect(throws: DepthError.self) { try frames.add(try DepthMap(width: 2, height: 1, metres: [1, 1])) }
        #expect(frames.picture(rotation: 0)?.height == 20 * 96)
    }
}
