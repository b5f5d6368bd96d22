/// origin + t × direction; the direction need not have length 1.
struct Ray {
    let origin: Vector3
    let direction: Vector3

    func point(at t: Double) -> Vector3 { origin + direction * t }
}

/// The intersection of a ray with a surface.
struct Hit {
    let t: Double
    /// The unit normal, on the side from which the ray comes.
    let normal: Vector3
    /// Position on the surface: metres, or −1...1 on rectangles with a picture.
    let u: Double
    let v: Double
}
