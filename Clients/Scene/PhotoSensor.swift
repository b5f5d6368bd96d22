import Foundation

/// Photographs a stage: ray-cast at a moderate size, then enlarged, with a sensor's noise.
struct PhotoSensor {
    private static let noiseCount = 16_381

    let seed: UInt64

    /// - Returns: red, green and blue, interleaved, of `options.photoSize`.
    func expose(_ stage: Stage, _ options: SceneOptions) -> [UInt8] {
        let (width, height) = options.photoSize
        let longest = max(width, height)
        let detail = min(options.detail, longest)
        let (smallWidth, smallHeight) = (max(2, width * detail / longest), max(2, height * detail / longest))
        let small = cast(stage, smallWidth, smallHeight)
        return enlarge(small, smallWidth, smallHeight, to: width, height)
    }

    /// The value that is stored for each ``level(_:)``.
    static let gamma = (0...1023).map { UInt8((pow(Double($0) / 1023, 1 / 1.6) * 255).rounded()) }

    /// Surface colours are display values: they are linearized, exposed, and converted back with a soft curve.
    static func level(_ value: Double) -> Int {
        let exposed = value * value * (1.55 - 0.55 * min(value, 1))
        return Int(min(max(exposed, 0), 1) * 1023)
    }

    private func cast(_ stage: Stage, _ width: Int, _ height: Int) -> [UInt8] {
        let gamma = Self.gamma
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height * 3)
        for row in 0..<height {
            for column in 0..<width {
                let x = (Double(column) + 0.5) / Double(width) * 2 - 1
                let y = (Double(row) + 0.5) / Double(height) * 2 - 1
                let light = stage.colour(alongX: x, y: y)
                for value in [light.x, light.y, light.z] {
                    pixels.append(gamma[Self.level(value)])
                }
            }
        }
        return pixels
    }

    /// Bilinear in 1/256 steps; the noise is the same for the three colours of a pixel.
    private func enlarge(_ small: [UInt8], _ smallWidth: Int, _ smallHeight: Int, to width: Int, _ height: Int) -> [UInt8] {
        var random = SeededGenerator(seed: seed ^ 0xB1)
        let noise = (0..<Self.noiseCount).map { _ in Int((random.number(-1...1) + random.number(-1...1)) * 5 * 65_536) }
        let columns = (0..<width).map { Self.place($0, of: width, in: smallWidth) }
        var blended = [Int](repeating: 0, count: smallWidth * 3)
        var pixels = [UInt8](repeating: 0, count: width * height * 3)
        pixels.withUnsafeMutableBufferPointer { output in
            for row in 0..<height {
                let (above, share) = Self.place(row, of: height, in: smallHeight)
                let start = above * smallWidth * 3
                for index in 0..<smallWidth * 3 {
                    blended[index] =
                        Int(small[start + index]) * (256 - share) + Int(small[start + index + smallWidth * 3]) * share
                }
                var target = row * width * 3
                var grain = Int(random.next() % UInt64(Self.noiseCount))
                blended.withUnsafeBufferPointer { line in
                    for (left, share) in columns {
                        let offset = left * 3
                        for channel in offset..<offset + 3 {
                            let value = line[channel] * (256 - share) + line[channel + 3] * share + noise[grain]
                            output[target] = UInt8(clamping: (value + 32_768) >> 16)
                            target += 1
                        }
                        grain = grain + 1 == Self.noiseCount ? 0 : grain + 1
                    }
                }
            }
        }
        return pixels
    }

    /// The index of the small pixel before the middle of a large one, and the weight of the next one in 1/256.
    private static func place(_ index: Int, of count: Int, in smallCount: Int) -> (Int, Int) {
        let position = ((2 * index + 1) * smallCount * 256 / count - 256) / 2
        let clamped = min(max(position, 0), (smallCount - 1) * 256 - 1)
        return (clamped / 256, clamped % 256)
    }
}
