import Foundation

/// The range of distances that a depth preview's colours represent, on a logarithmic scale.
public struct DepthPreviewScale: Codable, Sendable, Equatable {
    /// Metres at the light, warm end; more than 0.
    public var near: Double
    /// Metres at the dark, cool end; more than ``near``.
    public var far: Double

    public init(near: Double, far: Double) {
        self.near = near
        self.far = far
    }

    /// The position of a distance on the scale: 0 near, 1 far, outside 0...1 beyond the ends.
    /// - Parameter metres: more than 0.
    public func position(of metres: Double) -> Double { position(of: metres, extent: extent) }

    /// Like ``position(of:)``, for many distances.
    /// - Parameter extent: ``extent``, computed once.
    public func position(of metres: Double, extent: Double) -> Double { log(metres / near) / extent }

    /// The length of the logarithmic scale.
    public var extent: Double { log(far / near) }

    /// Round distances strictly inside the scale, in metres.
    public var ticks: [Double] { [0.2, 0.5, 1, 2, 5, 10].filter { $0 > near && $0 < far } }
}
