/// Surfaces, a light and a camera.
struct Stage: Sendable {
    /// Half the field of view across the longer side of a 4 : 3 picture: tan 33°, as of a phone's main camera.
    private static let halfWidth = 0.65
    private static let halfHeight = halfWidth * 0.75

    /// The surfaces with their bounds. They are kept apart from the materials, so that loops over them copy no reference.
    private(set) var shapes: [BoundedShape] = []
    /// The material of each shape.
    private var materials: [Material] = []
    var light: Vector3
    let position: Vector3
    private let right: Vector3
    private let up: Vector3
    let forward: Vector3

    /// - Parameter target: the point in the middle of the picture.
    init(camera position: Vector3, target: Vector3, light: Vector3) {
        self.position = position
        self.light = light
        forward = (target - position).normalized
        right = Vector3(0, 1, 0).cross(forward).normalized
        up = forward.cross(right)
    }

    /// The same surfaces and light, seen by another camera.
    func seen(from position: Vector3, towards target: Vector3) -> Stage {
        var stage = Stage(camera: position, target: target, light: light)
        stage.shapes = shapes
        stage.materials = materials
        return stage
    }

    mutating func add(_ shape: Shape, _ material: Material) {
        shapes.append(BoundedShape(shape))
        materials.append(material)
    }

    /// The same shapes with other materials.
    /// - Parameter change: gets the surface's number, its shape and its material.
    func changing(_ change: (Int, Shape, Material) -> Material) -> Stage {
        var stage = self
        stage.materials = zip(shapes, materials).enumerated().map { change($0, $1.0.shape, $1.1) }
        return stage
    }

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
        return nearest(ray, shapes.indices).map { ($0.hit.t, abs($0.hit.normal.dot(ray.direction.normalized))) }
    }

    /// The light from that direction, 0...1 for each colour.
    /// - Parameter candidates: numbers of the surfaces that the ray may hit, ascending; `nil` for all.
    func colour(alongX x: Double, y: Double, among candidates: [Int]? = nil) -> Vector3 {
        let ray = ray(x, y)
        guard let (hit, index) = candidates.map({ nearest(ray, $0) }) ?? nearest(ray, shapes.indices) else {
            return Vector3(0.05, 0.05, 0.06)
        }
        let (colour, isGlowing) = materials[index].colour(hit.u, hit.v)
        guard !isGlowing else { return colour }
        let point = ray.point(at: hit.t)
        let toLight = light - point
        let distance = toLight.length
        let direct = max(0, hit.normal.dot(toLight) / distance)
        let isLit = direct > 0 && !isShadowed(Ray(origin: point + hit.normal * 1e-4, direction: toLight))
        let ambient = 0.34 + 0.08 * hit.normal.y
        return colour * (ambient + (isLit ? 0.72 * direct * min(1.2, 2.6 / (0.6 + distance)) : 0))
    }

    /// The numbers of the surfaces that rays through a rectangle of the picture may hit, ascending.
    func candidates(alongX x: ClosedRange<Double>, y: ClosedRange<Double>) -> [Int] {
        let axis = ray((x.lowerBound + x.upperBound) / 2, (y.lowerBound + y.upperBound) / 2).direction.normalized
        let corners = [x.lowerBound, x.upperBound].flatMap { x in [y.lowerBound, y.upperBound].map { ray(x, $0).direction.normalized } }
        let cosine = corners.map { $0.dot(axis) }.min() ?? -1
        return shapes.indices.filter { shapes[$0].mayTouch(coneFrom: position, along: axis, cosine: cosine) }
    }

    private func ray(_ x: Double, _ y: Double) -> Ray {
        Ray(origin: position, direction: forward + right * (x * Self.halfWidth) - up * (y * Self.halfHeight))
    }

    private func nearest(_ ray: Ray, _ candidates: some Sequence<Int>) -> (hit: Hit, index: Int)? {
        var best: Hit?
        var bestIndex = 0
        for index in candidates where shapes[index].mayTouch(ray) {
            if let hit = shapes[index].shape.hit(by: ray, in: 0.01...(best?.t ?? 100)) {
                best = hit
                bestIndex = index
            }
        }
        return best.map { ($0, bestIndex) }
    }

    private func isShadowed(_ ray: Ray) -> Bool {
        shapes.contains { $0.mayTouch(ray) && $0.shape.hit(by: ray, in: 1e-3...0.98) != nil }
    }
}
