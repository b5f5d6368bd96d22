import Depth

/// Pseudo-random numbers that are the same on all machines: a linear congruential generator and arithmetic that IEEE 754 defines.
struct Randomness {
    var state: UInt64

    init(_ seed: UInt64) { state = seed &* 2_862_933_555_777_941_757 &+ 3_037_000_493 }

    /// 0..<1.
    mutating func unit() -> Double {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Double(state >> 33) / Double(1 << 31)
    }

    /// Approximately normal, with mean 0 and standard deviation 1.
    mutating func normal() -> Double {
        var sum = 0.0
        for _ in 0..<12 { sum += unit() }
        return sum - 6
    }

    mutating func byte() -> UInt8 { UInt8(unit() * 256) }
}

/// Synthetic depth maps, with u and v in −1...1 from the left and the top.
enum Maps {
    static func make(width: Int = 256, height: Int = 192, _ metres: (_ u: Double, _ v: Double) -> Double) throws -> DepthMap {
        var values: [Float] = []
        for y in 0..<height {
            for x in 0..<width {
                values.append(
                    Float(metres(Double(2 * x + 1 - width) / Double(width), Double(2 * y + 1 - height) / Double(height))))
            }
        }
        return try DepthMap(width: width, height: height, metres: values)
    }

    /// A plane at `distance` in the middle, tilted so that its inverse depth changes by `slope` from the middle to the side.
    static func plane(distance: Double, slope: Double, u: Double) -> Double { distance / (1 + slope * u) }

    /// A factor that simulates a sensor's noise of 0.4 %.
    static func noise(_ random: inout Randomness) -> Double { 1 + 0.004 * random.normal() }

    static func slantedPoster() throws -> DepthMap {
        var random = Randomness(1)
        return try make { u, _ in plane(distance: 1.3, slope: 0.62, u: u) * noise(&random) }
    }

    /// A desk seen from above at an angle, half a metre away, with a mug that is about 10 cm nearer.
    static func mugOnDesk() throws -> DepthMap {
        var random = Randomness(2)
        return try make { u, v in
            let desk = plane(distance: 0.6, slope: 0.22, u: v)
            let mug = abs(u - 0.05) < 0.3 && abs(v) < 0.45 ? 0.42 + 0.05 * u * u : .infinity
            return min(desk, mug) * noise(&random)
        }
    }

    /// A screen that leaves 40 % of the picture to the room behind it.
    static func screenInRoom() throws -> DepthMap {
        var random = Randomness(3)
        return try make { u, v in
            let isScreen = abs(u) < 0.775 && abs(v) < 0.775
            let room = v > 0.8 ? 1.2 : u > 0 ? 2.8 + 0.4 * u : 1.9 - 0.3 * v
            return (isScreen ? plane(distance: 0.6, slope: 0.1, u: u) : room) * noise(&random)
        }
    }
}
