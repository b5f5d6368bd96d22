import Foundation

/// The sizes of a rendered video.
public struct VideoOptions: Sendable {
    /// Pixels; even, 16…4096.
    public var size: (width: Int, height: Int) = (640, 480)
    /// Pixels of a depth map, 1…1024, as ARKit's `sceneDepth` gives it.
    public var depthSize: (width: Int, height: Int) = (256, 192)

    public init() {}
}

/// Renders the frames of a moving camera and the depth of the very same frames. The same arguments give the same bytes on one machine.
public struct VideoRenderer: Sendable {
    /// Pixels of a side of what is cast together.
    private static let tile = 32

    public let scene: VideoScene
    public let seed: UInt64
    public let options: VideoOptions
    private let stage: Stage
    private let motion: CameraMotion
    /// The camera's motion in the film that a screen plays.
    private let film: CameraMotion
    private let gamma: [UInt8]

    /// - Throws: ``SceneError`` `invalidOptions`.
    public init(_ scene: VideoScene, seed: UInt64, options: VideoOptions = VideoOptions()) throws(SceneError) {
        let sides = [options.size.width, options.size.height]
        guard sides.allSatisfy({ (16...4096).contains($0) && $0.isMultiple(of: 2) }) else {
            throw SceneError(.invalidOptions, "a video of \(sides[0])×\(sides[1]): sides must be even, 16 to 4096")
        }
        guard [options.depthSize.width, options.depthSize.height].allSatisfy({ (1...1024).contains($0) }) else {
            throw SceneError(.invalidOptions, "a depth map of \(options.depthSize.width)×\(options.depthSize.height)")
        }
        self.scene = scene
        self.seed = seed
        self.options = options
        stage = scene.stage(seed: seed)
        motion = scene.motion(seed: seed)
        film = VideoScene.room.motion(seed: seed ^ 0xF1)
        gamma = PhotoSensor.gamma
    }

    /// The frame at a time, in seconds: planar YUV 4:2:0 of 8 bits (BT.601, limited range), Y, then U, then V.
    public func frame(at seconds: Double) -> [UInt8] {
        let current = stage(at: seconds)
        let (width, height) = options.size
        let lumaCount = width * height
        return [UInt8](unsafeUninitializedCapacity: lumaCount * 3 / 2) { pixels, count in
            for top in stride(from: 0, to: height, by: Self.tile) {
                for left in stride(from: 0, to: width, by: Self.tile) {
                    render(
                        current, rows: top..<min(top + Self.tile, height), columns: left..<min(left + Self.tile, width), into: pixels)
                }
            }
            count = lumaCount * 3 / 2
        }
    }

    private func render(_ stage: Stage, rows: Range<Int>, columns: Range<Int>, into pixels: UnsafeMutableBufferPointer<UInt8>) {
        let (width, height) = options.size
        func across(_ column: Double) -> Double { column / Double(width) * 2 - 1 }
        func down(_ row: Double) -> Double { row / Double(height) * 2 - 1 }
        let candidates = stage.candidates(
            alongX: across(Double(columns.lowerBound))...across(Double(columns.upperBound)),
            y: down(Double(rows.lowerBound))...down(Double(rows.upperBound)))
        let blue = width * height
        let red = blue * 5 / 4
        for row in stride(from: rows.lowerBound, to: rows.upperBound, by: 2) {
            for column in stride(from: columns.lowerBound, to: columns.upperBound, by: 2) {
                var sum = (0, 0, 0)
                for (x, y) in [(column, row), (column + 1, row), (column, row + 1), (column + 1, row + 1)] {
                    let light = stage.colour(alongX: across(Double(x) + 0.5), y: down(Double(y) + 0.5), among: candidates)
                    let (r, g, b) = (exposed(light.x), exposed(light.y), exposed(light.z))
                    pixels[y * width + x] = UInt8(clamping: (66 * r + 129 * g + 25 * b + 4224) >> 8)
                    sum = (sum.0 + r, sum.1 + g, sum.2 + b)
                }
                let place = row / 2 * (width / 2) + column / 2
                pixels[blue + place] = UInt8(clamping: (-38 * sum.0 - 74 * sum.1 + 112 * sum.2 + 131_584) >> 10)
                pixels[red + place] = UInt8(clamping: (112 * sum.0 - 94 * sum.1 - 18 * sum.2 + 131_584) >> 10)
            }
        }
    }

    /// The depth map of the frame at that time: metres along the optical axis in half precision, row-major, top row first; 0 without a
    /// measurement.
    public func depth(at seconds: Double) -> [Float] {
        LiDAR(seed: seed, hasBulges: scene.isFlat, moment: (seconds * 1000).rounded().bitPattern)
            .measure(stage(at: seconds), width: options.depthSize.width, height: options.depthSize.height)
            .map(Self.halfPrecision)
    }

    private func stage(at seconds: Double) -> Stage {
        motion.view(of: scene == .screen ? stage.playing(film, at: seconds) : stage, at: seconds)
    }

    private func exposed(_ value: Double) -> Int { Int(gamma[PhotoSensor.level(value)]) }

    /// The nearest number with a mantissa of 10 bits, ties to even: what `sceneDepth` holds.
    private static func halfPrecision(_ metres: Float) -> Float {
        let bits = metres.bitPattern
        return Float(bitPattern: (bits &+ 0xFFF &+ (bits >> 13 & 1)) & ~0x1FFF)
    }
}
