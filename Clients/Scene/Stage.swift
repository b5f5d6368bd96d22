/// Surfaces, a light and a camera.
struct Stage: Sendable {
    struct Surface: Sendable {
        let shape: Shape
        let material: Material
    }

    /// Half the field of view across the longer side of a 4 : 3 picture: tan 33°, as of a phone's main camera.
    private static let halfWidth = 0.65
    private static let halfHeight = halfWidth * 0.75

    var surfaces: [Surface] = []
    var light: Vector3
    private let position: Vector3
    private let right: Vector3
    private let up: Vector3
    private let forward: Vector3

    /// - Parameter target: the point in the middle of the picture.
    init(camera position: Vector3, target: Vector3, light: Vector3) {
        self.position = position
        self.light = light
        forward = (target - position).normalized
        right = Vector3(0, 1, 0).cross(forward).normalized
        up = forward.cross(right)
    }

    mutating func add(_ shape: Shape, _ material: Material) { surfaces.append(Surface(shape: shape, material: material)) }

    /// A rectangle perpendicular to the optical axis, higher than the picture.
    /// - Parameters:
    ///   - distance: metres along the optical axis.
    ///   - left: its left edge in picture coordinates, −1...1 within the picture; `end` is its right edge.
    func upright(at distance: Double, from left: Double, to end: Double) -> Rectangle {
        let (half, middle) = ((end - left) / 2 * Self.halfWidth * distance, (end + left) / 2 * Self.halfWidth * distance)
        return Rectangle(
            centre: position + forward * distance + right * middle, right: right * half, up: up * (1.2 * Self.halfHeight * distance))
    }

    /// Distance along the optical axis in metres, and the cosine of the angle of incidence; `nil` if the ray hits nothing.
    /// - Parameters: picture coordinates −1...1, y down.
    func depth(alongX x: Double, y: Double) -> (metres: Double, cosine: Double)? {
        let ray = ray(x, y)
        // The direction's component along the axis has length 1, so t is the distance along it.
        return nearest(ray).map { ($0.hit.t, abs($0.hit.normal.dot(ray.direction.normalized))) }
    }

    /// The light from that direction, 0...1 for each colour.
    func colour(alongX x: Double, y: Double) -> Vector3 {
        let ray = ray(x, y)
        guard let (hit, material) = nearest(ray) else { return Vector3(0.05, 0.05, 0.06) }
        let (colour, isGlowing) = material.colour(hit.u, hit.v)
        guard !isGlowing else { return colour }
        let point = ray.point(at: hit.t)
        let toLight = light - point
        let distance = toLight.length
        let direct = max(0, hit.normal.dot(toLight) / distance)
        let isLit = direct > 0 && !isShadowed(Ray(origin: point + hit.normal * 1e-4, direction: toLight))
        let ambient = 0.34 + 0.08 * hit.normal.y
        return colour * (ambient + (isLit ? 0.72 * direct * min(1.2, 2.6 / (0.6 + distance)) : 0))
    }

    private func ray(_ x: Double, _ y: Double) -> Ray {
        Ray(origin: position, direction: forward + right * (x * Self.halfWidth) - up * (y * Self.halfHeight))
    }

    private func nearest(_ ray: Ray) -> (hit: Hit, material: Material)? {
        var best: Hit?
        var bestIndex = 0
        for (index, surface) in surfaces.enumerated() {
            if let hit = surface.shape.hit(by: ray, in: 0.01...(best?.t ?? 100)) {
                best = hit
                bestIndex = index
            }
        }
        return best.map { ($0, surfaces[bestIndex].material) }
    }

    private func isShadowed(_ ray: Ray) -> Bool { surfaces.contains { $0.shape.hit(by: ray, in: 1e-3...0.98) != nil } }
}
