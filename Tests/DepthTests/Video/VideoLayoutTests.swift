import CaptureProtocol
import Models
import Testing

@testable import Depth

@Suite("How depth lies in a video's frames")
struct VideoLayoutTests {
    typealias Size = (width: Int, height: Int)

    @Test(
        "asks for brightness in which the middle has the map's size",
        arguments: [
            // Frame, depth, brightness, positions.
            [1920, 1440, 256, 192, 256, 192, 1], [1920, 1080, 256, 192, 342, 192, 2], [1440, 1920, 256, 192, 192, 256, 2],
            [1080, 1920, 256, 192, 192, 342, 4], [1440, 1080, 256, 192, 256, 192, 1], [1000, 1000, 256, 192, 256, 256, 2],
            [640, 480, 1024, 768, 256, 192, 1], [4096, 16, 256, 192, 256, 192, 1], [16, 16, 2, 2, 2, 2, 1],
            [1920, 1440, 192, 256, 256, 192, 2],
            [1468, 1080, 256, 192, 256, 192, 1], [1480, 1080, 256, 192, 264, 192, 2], [1, 1, 1, 1, 1, 1, 1],
            [65_535, 1, 1024, 1, 1024, 1, 1],
        ])
    func size(_ numbers: [Int]) throws {
        let layout = try VideoDepthLayout(frame: (numbers[0], numbers[1]), depth: (numbers[2], numbers[3]), rotation: 0)
        #expect([layout.lumaWidth, layout.lumaHeight] == [numbers[4], numbers[5]])
        #expect(layout.placements.count == numbers[6])
    }

    @Test(
        "refuses sizes that are none",
        arguments: [[0, 1, 1, 1], [1, 70_000, 1, 1], [1, 1, 0, 4], [1, 1, 4, 1025], [-1, -1, -1, -1], [1, 1, .max, .max]])
    func refused(_ numbers: [Int]) {
        #expect(throws: DepthError.self) {
            try VideoDepthLayout(frame: (numbers[0], numbers[1]), depth: (numbers[2], numbers[3]), rotation: 0)
        }
    }

    @Test("never asks for more than twice and a bit of what is measured")
    func bounded() throws {
        var random = Randomness(6)
        for _ in 0..<2000 {
            func side(_ most: Double) -> Int { 1 + Int(random.unit() * random.unit() * (most - 1)) }
            let layout = try VideoDepthLayout(frame: (side(4096), side(4096)), depth: (side(1024), side(1024)), rotation: 5)
            #expect(layout.lumaWidth * layout.lumaHeight <= 2 * DepthMap.measuredPixels + 2 * 1024)
            let plane = try LumaImage(
                width: layout.lumaWidth, height: layout.lumaHeight,
                pixels: [UInt8](repeating: 7, count: layout.lumaWidth * layout.lumaHeight))
            for placement in layout.placements {
                let cut = placement.cut(plane, width: layout.measured.width, height: layout.measured.height)
                #expect(cut.width == layout.measured.width && cut.height == layout.measured.height)
                #expect(cut.pixels.allSatisfy { $0 == 7 })
            }
        }
    }

    /// A video of a room whose pictures have been brought into another position.
    private func analyze(frame: Size, _ change: (LumaImage, VideoDepthLayout) throws -> LumaImage) throws -> VideoDepthMeasurements {
        let video = try VideoScene.room(1).video(8) { VideoScene.Camera(x: 0.02 * Double($0)) }
        let layout = try VideoDepthLayout(frame: frame, depth: (256, 192), rotation: 1)
        var analysis = VideoDepthAnalysis(layout: layout, timescale: 600)
        for keyframe in video {
            let luma = try change(try #require(keyframe.luma), layout)
            try analysis.add(VideoKeyframe(sample: keyframe.sample, ticks: keyframe.ticks, depth: keyframe.depth, luma: luma))
        }
        return analysis.finish(endTicks: 480)
    }

    @Test("finds the quarter turn of depth that is stored sideways", arguments: [(6, 1), (8, 3)])
    func turned(orientation: Int, turns: Int) throws {
        let result = try analyze(frame: (1440, 1920)) { luma, _ in luma.oriented(orientation) }
        #expect(result.verdict == .real)
        #expect(result.rotation == (turns + 1) % 4 && result.framing == .whole)
    }

    @Test("finds whether depth is of the whole frame or of its middle", arguments: [VideoDepthFraming.whole, .middle], [false, true])
    func framing(framing: VideoDepthFraming, isSideways: Bool) throws {
        let result = try analyze(frame: isSideways ? (1080, 1920) : (1920, 1080)) { luma, layout in
            let width = max(layout.lumaWidth, layout.lumaHeight)
            let margin = (width - 256) / 2
            let wide: LumaImage
            if framing == .whole {
                wide = luma.scaled(toWidth: width, height: 192)
            } else {
                // The picture, with noise beside it.
                var random = Randomness(2)
                wide = try LumaImage(
                    width: width, height: 192,
                    pixels: (0..<width * 192).map {
                        let x = $0 % width - margin
                        return (0..<256).contains(x) ? luma.pixels[$0 / width * 256 + x] : random.byte()
                    })
            }
            return isSideways ? wide.oriented(6) : wide
        }
        #expect(result.verdict == .real && result.framing == framing)
        #expect(result.rotation == (isSideways ? 2 : 1))
    }
}
