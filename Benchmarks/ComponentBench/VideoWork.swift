import Depth
import Models

/// The depth of a video of 15 s: 150 keyframes of 256 × 192, a fifteenth of them measured.
struct VideoWork {
    private static let count = 10
    private static let whole = 15.0

    private let layout: VideoDepthLayout
    private let keyframes: [VideoKeyframe]

    init() throws {
        layout = try VideoDepthLayout(frame: (1920, 1440), depth: (256, 192), rotation: 1)
        keyframes = try (0..<Self.count).map(Self.keyframe)
    }

    func print() throws {
        let maps = keyframes.map(\.depth)
        let relief = ProcessorTime.measure { maps.allSatisfy { FittedDepth($0).measurements(luma: nil, exifOrientation: 1).relief != nil } }
        Table.row("relief alone, 150 keyframes", relief * Self.whole)
        Table.row(
            "depth without pictures, 150 keyframes", analysis(keyframes.map { Self.withoutPicture($0) }, in: layout) * Self.whole,
            bare: relief * Self.whole)
        Table.row("depth of a video, 150 keyframes", analysis(keyframes, in: layout) * Self.whole, bare: relief * Self.whole)
        let frames = ProcessorTime.measure {
            var frames = DepthFrames(layout: layout)
            for map in maps { guard (try? frames.add(map)) != nil else { return false } }
            return frames.picture(rotation: 1) != nil
        }
        Table.row("picture of 150 keyframes' depth", frames * Self.whole)
        let largest = try VideoDepthLayout(frame: (1024, 1024), depth: (1024, 1024), rotation: 0)
        let large = try keyframes.map { try Self.enlarged($0, in: largest) }
        Table.row("depth of a video, 200 of 1024×1024", analysis(large, in: largest) * 20, bare: relief * 20)
    }

    private func analysis(_ keyframes: [VideoKeyframe], in layout: VideoDepthLayout) -> Double {
        ProcessorTime.measure {
            var analysis = VideoDepthAnalysis(layout: layout, timescale: 600)
            for keyframe in keyframes { guard (try? analysis.add(keyframe)) != nil else { return false } }
            return analysis.finish(endTicks: 600).keyframes == keyframes.count
        }
    }

    private static func withoutPicture(_ keyframe: VideoKeyframe) -> VideoKeyframe {
        VideoKeyframe(sample: keyframe.sample, ticks: keyframe.ticks, depth: keyframe.depth, luma: nil)
    }

    /// Panels at several distances before a wall, that move past the camera.
    private static func keyframe(_ index: Int) throws -> VideoKeyframe {
        let panels: [(x: Int, y: Int, half: Int, metres: Double)] = [
            (100, 90, 40, 1.2), (200, 60, 25, 1.7), (30, 140, 28, 0.9), (150, 160, 20, 1.4),
        ]
        var metres: [Float] = []
        var luma: [UInt8] = []
        for y in 0..<192 {
            for x in 0..<256 {
                var depth = 2.6 + Double(y) / 400
                var brightness = 60 + pattern((x + 3 * index) / 3, y / 3, 1) / 4
                for (number, panel) in panels.enumerated() {
                    let offset = x - panel.x + index * Int(4 / panel.metres)
                    guard abs(offset) < panel.half, abs(y - panel.y) < panel.half else { continue }
                    depth = panel.metres
                    brightness = 120 + pattern((offset + 99) / 3, y / 3, number + 2) / 2
                }
                let noise = pattern(x + 1000 * index, y, 9)
                metres.append(Float(depth * (1 + 0.004 * (Double(noise) / 255 - 0.5))))
                luma.append(UInt8(brightness + noise / 64))
            }
        }
        return VideoKeyframe(
            sample: 3 * index, ticks: 60 * Int64(index), depth: try DepthMap(width: 256, height: 192, metres: metres),
            luma: try LumaImage(width: 256, height: 192, pixels: luma))
    }

    /// 0...255.
    private static func pattern(_ x: Int, _ y: Int, _ salt: Int) -> Int {
        var hash = UInt64(truncatingIfNeeded: x &* 73_856_093 ^ y &* 19_349_663 ^ salt &* 83_492_791) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 29
        return Int((hash &* 0xBF58_476D_1CE4_E5B9) >> 56)
    }

    private static func enlarged(_ keyframe: VideoKeyframe, in layout: VideoDepthLayout) throws -> VideoKeyframe {
        var metres: [Float] = []
        for y in 0..<1024 { for x in 0..<1024 { metres.append(keyframe.depth.metres[y * 192 / 1024 * 256 + x / 4]) } }
        let pixels = (0..<layout.lumaWidth * layout.lumaHeight).map { place in
            let (x, y) = (place % layout.lumaWidth, place / layout.lumaWidth)
            return keyframe.luma?.pixels[y * 192 / layout.lumaHeight * 256 + x * 256 / layout.lumaWidth] ?? 0
        }
        return VideoKeyframe(
            sample: keyframe.sample, ticks: keyframe.ticks, depth: try DepthMap(width: 1024, height: 1024, metres: metres),
            luma: try LumaImage(width: layout.lumaWidth, height: layout.lumaHeight, pixels: pixels))
    }
}
