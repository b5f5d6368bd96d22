/// A shape and a sphere around it, which tells quickly what most rays miss.
struct BoundedShape: Sendable {
    let shape: Shape
    private let centre: Vector3
    private let radius: Double

    init(_ shape: Shape) {
        self.shape = shape
        let radius: Double
        switch shape {
        case .rectangle(let rectangle):
            centre = rectangle.centre
            radius = (rectangle.right.dot(rectangle.right) + rectangle.up.dot(rectangle.up)).squareRoot()
        case .box(let box):
            centre = box.centre
            radius = box.half.length
        case .sphere(let middle, let size):
            centre = middle
            radius = size
        case .cylinder(let base, let size, let height):
            centre = base + Vector3(0, height / 2, 0)
            radius = (size * size + height * height / 4).squareRoot()
        }
        // Rounding must not lose a hit.
        self.radius = radius * 1.001 + 1e-6
    }

    /// False only if the ray misses the shape.
    func mayTouch(_ ray: Ray) -> Bool {
        let offset = centre - ray.origin
        let along = offset.dot(ray.direction)
        let beyond = offset.dot(offset) - radius * radius
        guard beyond > 0 else { return true }
        return along > 0 && along * along >= beyond * ray.direction.dot(ray.direction)
    }

    /// False only if all rays in the cone miss the shape.
    /// - Parameters:
    ///   - axis: of length 1.
    ///   - cosine: of the angle between axis and side.
    func mayTouch(coneFrom origin: Vector3, along axis: Vector3, cosine: Double) -> Bool {
        let offset = centre - origin
        let distance = offset.length
        guard distance > radius, cosine > 0 else { return true }
        // The shape's sphere is seen under an angle of this sine; the two angles are added.
        let shapeSine = radius / distance
        let shapeCosine = (1 - shapeSine * shapeSine).squareRoot()
        let sine = max(0, 1 - cosine * cosine).squareRoot()
        let sum = cosine * shapeCosine - sine * shapeSine
        return offset.dot(axis) >= (sum - 1e-6) * distance
    }
}
