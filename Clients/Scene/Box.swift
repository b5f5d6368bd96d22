/// An upright box, rotated about the vertical axis.
struct Box: Sendable {
    let centre: Vector3
    let half: Vector3
    private let cosine: Double
    private let sine: Double

    /// - Parameters:
    ///   - base: middle of the bottom.
    ///   - size: width, height and depth in metres.
    ///   - turn: cosine and sine of the angle about the vertical axis.
    init(base: Vector3, size: Vector3, turn: (cosine: Double, sine: Double) = (1, 0)) {
        centre = base + Vector3(0, size.y / 2, 0)
        half = size * 0.5
        cosine = turn.cosine
        sine = turn.sine
    }

    /// - Returns: the face through which the ray enters the box, or leaves it if it starts inside; u and v in metres.
    func hit(by ray: Ray, in range: ClosedRange<Double>) -> Hit? {
        let origin = (ray.origin - centre).turned(cosine: cosine, sine: -sine)
        let direction = ray.direction.turned(cosine: cosine, sine: -sine)
        let x = Self.slab(origin.x, direction.x, half.x)
        let y = Self.slab(origin.y, direction.y, half.y)
        let z = Self.slab(origin.z, direction.z, half.z)
        let enter = max(x.0, y.0, z.0)
        let leave = min(x.1, y.1, z.1)
        guard enter <= leave else { return nil }
        let t = enter >= range.lowerBound ? enter : leave
        guard range.contains(t) else { return nil }
        let point = origin + direction * t
        let isEntry = t == enter
        let (nx, ny) = isEntry ? (x.0 == t, y.0 == t) : (x.1 == t, y.1 == t)
        var normal = nx ? Vector3(1, 0, 0) : ny ? Vector3(0, 1, 0) : Vector3(0, 0, 1)
        if normal.dot(direction) > 0 { normal = normal * -1 }
        let (u, v) = nx ? (point.z, point.y) : ny ? (point.x, point.z) : (point.x, point.y)
        return Hit(t: t, normal: normal.turned(cosine: cosine, sine: sine), u: u, v: v)
    }

    /// The range of t in which the ray is between two parallel faces.
    private static func slab(_ origin: Double, _ direction: Double, _ half: Double) -> (Double, Double) {
        guard abs(direction) > 1e-12 else { return abs(origin) <= half ? (-.infinity, .infinity) : (.infinity, -.infinity) }
        let (a, b) = ((-half - origin) / direction, (half - origin) / direction)
        return (min(a, b), max(a, b))
    }
}
