/// The shapes of the ray caster. Metres; y points up.
enum Shape: Sendable {
    case rectangle(Rectangle)
    case box(Box)
    case sphere(centre: Vector3, radius: Double)
    /// Upright.
    case cylinder(base: Vector3, radius: Double, height: Double)

    /// The nearest hit with t in `range`.
    func hit(by ray: Ray, in range: ClosedRange<Double>) -> Hit? {
        switch self {
        case .rectangle(let rectangle): rectangle.hit(by: ray, in: range)
        case .box(let box): box.hit(by: ray, in: range)
        case .sphere(let centre, let radius): Self.hitSphere(centre, radius, ray, range)
        case .cylinder(let base, let radius, let height): Self.hitCylinder(base, radius, height, ray, range)
        }
    }

    private static func hitSphere(_ centre: Vector3, _ radius: Double, _ ray: Ray, _ range: ClosedRange<Double>) -> Hit? {
        let offset = ray.origin - centre
        let a = ray.direction.dot(ray.direction)
        let half = offset.dot(ray.direction)
        let discriminant = half * half - a * (offset.dot(offset) - radius * radius)
        guard discriminant > 0 else { return nil }
        let t = (-half - discriminant.squareRoot()) / a
        guard range.contains(t) else { return nil }
        let normal = (ray.point(at: t) - centre) * (1 / radius)
        return Hit(t: t, normal: normal, u: normal.x * radius, v: normal.y * radius)
    }

    private static func hitCylinder(
        _ base: Vector3, _ radius: Double, _ height: Double, _ ray: Ray, _ range: ClosedRange<Double>
    ) -> Hit? {
        let offset = ray.origin - base
        let (dx, dz) = (ray.direction.x, ray.direction.z)
        let a = dx * dx + dz * dz
        let half = offset.x * dx + offset.z * dz
        let discriminant = half * half - a * (offset.x * offset.x + offset.z * offset.z - radius * radius)
        guard discriminant > 0, a > 0 else { return nil }
        let side = (-half - discriminant.squareRoot()) / a
        let sideHeight = offset.y + side * ray.direction.y
        if range.contains(side), sideHeight >= 0, sideHeight <= height {
            let point = ray.point(at: side) - base
            return Hit(t: side, normal: Vector3(point.x / radius, 0, point.z / radius), u: point.x, v: sideHeight)
        }
        guard ray.direction.y < 0 else { return nil }
        let top = (height - offset.y) / ray.direction.y
        let point = offset + ray.direction * top
        guard range.contains(top), point.x * point.x + point.z * point.z <= radius * radius else { return nil }
        return Hit(t: top, normal: Vector3(0, 1, 0), u: point.x, v: point.z)
    }
}
