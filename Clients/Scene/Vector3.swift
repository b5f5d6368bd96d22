/// A point, a direction or a colour.
struct Vector3: Sendable, Equatable {
    var x: Double
    var y: Double
    var z: Double

    init(_ x: Double, _ y: Double, _ z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// A colour of 8-bit components, 0xRRGGBB, as 0...1.
    init(rgb: UInt32) {
        self.init(Double(rgb >> 16 & 0xFF) / 255, Double(rgb >> 8 & 0xFF) / 255, Double(rgb & 0xFF) / 255)
    }

    var length: Double { dot(self).squareRoot() }
    var normalized: Vector3 { self * (1 / max(length, 1e-12)) }

    func dot(_ other: Vector3) -> Double { x * other.x + y * other.y + z * other.z }

    func cross(_ other: Vector3) -> Vector3 {
        Vector3(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }

    /// Rotated about the vertical axis; a positive angle turns x towards −z.
    func turned(cosine: Double, sine: Double) -> Vector3 {
        Vector3(x * cosine + z * sine, y, z * cosine - x * sine)
    }

    static func + (a: Vector3, b: Vector3) -> Vector3 { Vector3(a.x + b.x, a.y + b.y, a.z + b.z) }
    static func - (a: Vector3, b: Vector3) -> Vector3 { Vector3(a.x - b.x, a.y - b.y, a.z - b.z) }
    static func * (a: Vector3, factor: Double) -> Vector3 { Vector3(a.x * factor, a.y * factor, a.z * factor) }
    static func * (a: Vector3, b: Vector3) -> Vector3 { Vector3(a.x * b.x, a.y * b.y, a.z * b.z) }
}
