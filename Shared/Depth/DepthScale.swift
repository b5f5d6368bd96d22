import Foundation

/// The distances between which a depth picture's colours run, logarithmically.
public struct DepthScale: Sendable, Equatable {
    /// Metres at the light, warm end.
    public let nearMetres: Double
    /// Metres at the dark, cool end.
    public let farMetres: Double

    /// From the 2nd to the 98th percentile of the valid pixels, widened about its middle to at least a factor of 2: a flat
    /// wall must look flat, not like a canyon. Without a valid pixel 0.5 m to 5 m.
    public init(_ map: DepthMap) {
        let sorted = map.metres.filter { DepthMap.isValid(Double($0)) }.sorted()
        guard !sorted.isEmpty else {
            nearMetres = 0.5
            farMetres = 5
            return
        }
        let near = Double(sorted[sorted.count * 2 / 100])
        let far = Double(sorted[min(sorted.count * 98 / 100, sorted.count - 1)])
        let middle = (near * far).squareRoot()
        nearMetres = min(near, middle / 2.0.squareRoot())
        farMetres = max(far, middle * 2.0.squareRoot())
    }

    /// Where a distance lies: 0 near, 1 far, less and more beyond the ends.
    /// - Parameter metres: more than 0.
    public func position(of metres: Double) -> Double { log(metres / nearMetres) / log(farMetres / nearMetres) }

    /// Round distances strictly inside the scale, in metres.
    public var ticks: [Double] { [0.2, 0.5, 1, 2, 5, 10].filter { $0 > nearMetres && $0 < farMetres } }
}
