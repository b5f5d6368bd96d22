import Depth
import Models

/// A small deterministic ray caster for videos with depth: textured upright panels, a wall and a floor, seen by a camera that moves without
/// turning. Only arithmetic that IEEE 754 defines.
struct VideoScene {
    /// An upright rectangle at a distance, in metres; y points down.
    struct Panel {
        var z: Double
        var x: ClosedRange<Double>
        var y: ClosedRange<Double>
        var brightness: Double
    }

    /// Where the camera is, and how far it has panned, as a shift of the picture in focal lengths.
    struct Camera {
        var x = 0.0
        var z = 0.0
        var pan = 0.0
    }

    var width = 256
    var height = 192
    var panels: [Panel]
    var wall = 3.2
    /// How far the wall is turned: the change of its inverse depth from the middle to the side.
    var slope = 0.0
    /// Height of the camera above the floor; none without it.
    var floor: Double? = 1.1
    var seed: UInt64

    /// Shelves and boxes between 0.8 m and 2.4 m in front of a wall.
    static func room(_ seed: UInt64, width: Int = 256, height: Int = 192) -> VideoScene {
        var random = Randomness(seed)
        let panels = (0..<12).map { index in
            let z = 0.9 + 0.14 * Double(index)
            let (x, y) = ((random.unit() * 1.5 - 0.75) * z, (random.unit() * 1.0 - 0.5) * z)
            let (w, h) = ((0.1 + 0.1 * random.unit()) * z, (0.1 + 0.1 * random.unit()) * z)
            return Panel(z: z, x: x - w...x + w, y: y - h...y + h, brightness: 60 + 130 * random.unit())
        }
        return VideoScene(width: width, height: height, panels: panels, seed: seed)
    }

    /// One textured plane that fills the picture.
    static func poster(_ seed: UInt64, slope: Double) -> VideoScene {
        VideoScene(panels: [], wall: 1.2, slope: slope, floor: nil, seed: seed)
    }

    /// - Parameter noise: determines the sensors' noise.
    func keyframe(_ index: Int, camera: Camera, noise: UInt64, ticksEach: Int64 = 60) throws -> VideoKeyframe {
        var random = Randomness(noise &* 1_000_003 &+ UInt64(index))
        var metres: [Float] = []
        var luma: [UInt8] = []
        let focal = 0.77 * Double(max(width, height))
        for row in 0..<height {
            for column in 0..<width {
                let x = (Double(column) + 0.5 - Double(width) / 2) / focal + camera.pan
                let y = (Double(row) + 0.5 - Double(height) / 2) / focal
                let (z, brightness) = hit(x, y, camera)
                metres.append(Float(z * (1 + 0.004 * (random.unit() - 0.5))))
                luma.append(UInt8(min(max(brightness + 4 * random.unit(), 0), 255)))
            }
        }
        return VideoKeyframe(
            sample: 3 * index, ticks: ticksEach * Int64(index), depth: try DepthMap(width: width, height: height, metres: metres),
            luma: try LumaImage(width: width, height: height, pixels: luma))
    }

    /// Keyframes ten times a second, in ticks of 1/600 s.
    func video(_ count: Int, noise: UInt64 = 1, camera: (Int) -> Camera) throws -> [VideoKeyframe] {
        try (0..<count).map { try keyframe($0, camera: camera($0), noise: noise) }
    }

    private func hit(_ x: Double, _ y: Double, _ camera: Camera) -> (metres: Double, brightness: Double) {
        var z = (wall - camera.z) / (1 + slope * x)
        var brightness = 110.0
        var salt = seed
        if let floor, y > 0, floor / y < z {
            z = floor / y
            brightness = 80
            salt &+= 1
        }
        for (index, panel) in panels.enumerated() {
            let distance = panel.z - camera.z
            guard distance > 0.12, distance < z else { continue }
            guard panel.x.contains(camera.x + x * distance), panel.y.contains(y * distance) else { continue }
            z = distance
            brightness = panel.brightness
            salt = seed &+ UInt64(index) &+ 2
        }
        let (u, v) = (camera.x + x * z, salt == seed &+ 1 ? z + camera.z : y * z)
        return (z, brightness + 50 * (Self.cell(u, v, 0.05, salt) - 0.5) + 50 * (Self.cell(u, v, 0.17, salt) - 0.5))
    }

    /// A number 0..<1 for each square of a pattern.
    private static func cell(_ u: Double, _ v: Double, _ size: Double, _ salt: UInt64) -> Double {
        let (column, row) = (Int64((u / size).rounded(.down)), Int64((v / size).rounded(.down)))
        var random = Randomness(UInt64(bitPattern: column &* 73_856_093) ^ UInt64(bitPattern: row &* 19_349_663) &+ salt &* 83_492_791)
        _ = random.unit()
        return random.unit()
    }
}

extension [VideoKeyframe] {
    /// The verdict on these keyframes, ten a second, of a video that lies as it is shown.
    func analyze(timescale: UInt32 = 600, endTicks: Int64? = nil, rotation: Int = 0) throws -> VideoDepthMeasurements {
        let depth = self[0].depth
        let layout = try VideoDepthLayout(
            frame: (width: depth.width * 4, height: depth.height * 4), depth: (depth.width, depth.height), rotation: rotation)
        var analysis = VideoDepthAnalysis(layout: layout, timescale: timescale)
        for keyframe in self { try analysis.add(keyframe) }
        return analysis.finish(endTicks: endTicks ?? (last?.ticks ?? 0) + Int64(timescale) / 10)
    }

    /// The same pictures with the depth of other keyframes.
    func withDepth(_ depth: (Int) -> DepthMap) -> [VideoKeyframe] {
        enumerated().map { VideoKeyframe(sample: $1.sample, ticks: $1.ticks, depth: depth($0), luma: $1.luma) }
    }

    /// The same keyframes at other times, or without pictures.
    func changed(_ change: (Int, VideoKeyframe) -> (ticks: Int64, luma: LumaImage?)) -> [VideoKeyframe] {
        enumerated().map { index, keyframe in
            let new = change(index, keyframe)
            return VideoKeyframe(sample: keyframe.sample, ticks: new.ticks, depth: keyframe.depth, luma: new.luma)
        }
    }
}
