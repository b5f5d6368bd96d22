/// The colour of a surface as a function of the position on it.
indirect enum Material: Sendable {
    case plain(Vector3)
    case wood(Vector3, seed: UInt64)
    case tiles(Vector3, Vector3, size: Double)
    /// Book spines in various colours.
    case spines(seed: UInt64)
    /// A light source.
    case glowing(Vector3)
    /// The rendering of another stage, shown on a bright screen or printed on paper.
    case picture(Stage, isGlowing: Bool)
    case landscape(seed: UInt64)
    /// Another material under a pattern of small and large patches with sharp edges.
    /// - Parameter scale: metres for each unit of u and v.
    case patterned(Material, seed: UInt64, scale: (u: Double, v: Double))

    /// - Returns: the colour in 0...1, and whether it is independent of the light.
    func colour(_ u: Double, _ v: Double) -> (colour: Vector3, isGlowing: Bool) {
        switch self {
        case .plain(let colour): (colour, false)
        case .wood(let colour, let seed): (colour * Self.grain(u, v, seed), false)
        case .tiles(let first, let second, let size):
            ((Int((u / size).rounded(.down)) + Int((v / size).rounded(.down))) & 1 == 0 ? first : second, false)
        case .spines(let seed): (Self.spine(u, v, seed), false)
        case .glowing(let colour): (colour, true)
        case .picture(let stage, let isGlowing): (stage.colour(alongX: u, y: -v), isGlowing)
        case .landscape(let seed): (Self.landscape(u, v, seed), false)
        case .patterned(let material, let seed, let scale):
            Self.patterned(material.colour(u, v), Self.patches(u * scale.u, v * scale.v, seed))
        }
    }

    private static func patterned(
        _ base: (colour: Vector3, isGlowing: Bool), _ brightness: Double
    ) -> (colour: Vector3, isGlowing: Bool) { (base.colour * brightness, base.isGlowing) }

    /// Patches of 4 and 15 cm.
    private static func patches(_ u: Double, _ v: Double, _ seed: UInt64) -> Double {
        func patch(_ size: Double, _ salt: UInt64) -> Double {
            SeededGenerator.hash(Int((u / size).rounded(.down)), Int((v / size).rounded(.down)), seed: seed ^ salt)
        }
        return 0.72 + 0.2 * patch(0.04, 1) + 0.2 * patch(0.15, 2)
    }

    private static func grain(_ u: Double, _ v: Double, _ seed: UInt64) -> Double {
        let wave = ValueNoise(seed: seed, cell: 0.35)(u, v * 6)
        let fibre = ValueNoise(seed: seed ^ 1, cell: 0.02)(u * 0.2, v)
        return 0.86 + 0.10 * wave + 0.06 * fibre
    }

    private static func spine(_ u: Double, _ v: Double, _ seed: UInt64) -> Vector3 {
        let book = Int((u / 0.035).rounded(.down))
        let hue = SeededGenerator.hash(book, 0, seed: seed)
        let light = 0.35 + 0.5 * SeededGenerator.hash(book, 1, seed: seed)
        let band = SeededGenerator.hash(book, 2, seed: seed) > 0.5 && abs(v - 0.05) < 0.012
        let colour = Vector3(0.35 + 0.6 * hue, 0.45 + 0.3 * abs(hue - 0.5), 0.95 - 0.6 * hue) * light
        return band ? Vector3(0.9, 0.86, 0.7) : colour
    }

    /// Sky, a sun and three ranges of hills, for u and v in −1...1.
    private static func landscape(_ u: Double, _ v: Double, _ seed: UInt64) -> Vector3 {
        let sunX = SeededGenerator.hash(0, 0, seed: seed) - 0.5
        if abs(u) > 0.95 || abs(v) > 0.95 { return Vector3(0.97, 0.96, 0.92) }
        var colour = Vector3(0.55, 0.72, 0.92) + Vector3(0.4, 0.15, -0.25) * max(0, 0.6 - v)
        let (dx, dy) = (u - sunX, (v - 0.45) * 1.3)
        if dx * dx + dy * dy < 0.03 { colour = Vector3(1, 0.93, 0.66) }
        for (range, hill) in [Vector3(0.46, 0.5, 0.66), Vector3(0.3, 0.42, 0.44), Vector3(0.15, 0.3, 0.2)].enumerated() {
            let ridge = 0.15 - 0.35 * Double(range) + 0.22 * ValueNoise(seed: seed &+ UInt64(range), cell: 0.45)(u, 0)
            if v < ridge { colour = hill * (1 + 0.25 * ValueNoise(seed: seed ^ 7, cell: 0.05)(u, v)) }
        }
        return colour
    }
}
