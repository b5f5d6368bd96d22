/// A flat rectangle with two perpendicular half axes.
struct Rectangle: Sendable {
    let centre: Vector3
    /// From the centre to the right edge and to the upper edge; their length is half the size in metres.
    let right: Vector3
    let up: Vector3
    private let normal: Vector3

    init(centre: Vector3, right: Vector3, up: Vector3) {
        self.centre = centre
        self.right = right
        self.up = up
        normal = right.cross(up).normalized
    }

    /// - Returns: a hit with u and v in −1...1 between the edges.
    func hit(by ray: Ray, in range: ClosedRange<Double>) -> Hit? {
        let slope = normal.dot(ray.direction)
        guard abs(slope) > 1e-9 else { return nil }
        let t = normal.dot(centre - ray.origin) / slope
        guard range.contains(t) else { return nil }
        let offset = ray.point(at: t) - centre
        let u = offset.dot(right) / right.dot(right)
        let v = offset.dot(up) / up.dot(up)
        guard abs(u) <= 1, abs(v) <= 1 else { return nil }
        return Hit(t: t, normal: slope < 0 ? normal : normal * -1, u: u, v: v)
    }
}
