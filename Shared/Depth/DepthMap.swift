import CaptureProtocol

/// Distances along the optical axis in metres, row-major, top row first, `height` × `width`.
///
/// Values are untrusted and may be NaN, infinite or negative; only ``isValid(_:)`` ones are measurements.
public struct DepthMap: Sendable, Equatable {
    /// The longest side that is accepted, in pixels.
    public static let maximumSide = CaptureMetadata.depthSides.upperBound
    /// The size of the largest map, uncompressed.
    public static let maximumBytes = maximumSide * maximumSide * MemoryLayout<Float>.size

    public let width: Int
    public let height: Int
    public let metres: [Float]

    /// - Throws: ``DepthError`` `dimensionsOutOfRange`, or `shapeMismatch` if the count is not `width * height`.
    public init(width: Int, height: Int, metres: [Float]) throws(DepthError) {
        let count = try Self.pixelCount(width: width, height: height)
        guard metres.count == count else {
            throw DepthError(.shapeMismatch, "\(metres.count) values for \(width)×\(height)")
        }
        self.init(trusted: width, height, metres)
    }

    /// - Parameter metres: `width * height` of them.
    init(trusted width: Int, _ height: Int, _ metres: [Float]) {
        self.width = width
        self.height = height
        self.metres = metres
    }

    /// Whether a value is a measurement: 0.1 m to 20 m, both included. NaN is not.
    @inlinable
    public static func isValid(_ depthMetres: Double) -> Bool { depthMetres >= 0.1 && depthMetres <= 20 }

    /// The number of pixels of a map of this size.
    static func pixelCount(width: Int, height: Int) throws(DepthError) -> Int {
        guard (1...maximumSide).contains(width), (1...maximumSide).contains(height) else {
            throw DepthError(.dimensionsOutOfRange, "\(width)×\(height), each side must be 1...\(maximumSide)")
        }
        return width * height
    }
}
