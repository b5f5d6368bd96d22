public import Models

/// A picture of few colours: one palette index a pixel, row-major, top row first.
public struct DepthPicture: Sendable, Equatable {
    public let width: Int
    public let height: Int
    /// Each is below the palette's number of colours.
    public let indices: [UInt8]
    /// Red, green and blue of each colour, three bytes each: 64 levels from near to far, then the two greys of what has no
    /// measurement.
    public let palette: [UInt8]
    /// The distances that its colours stand for; the picture has no text of its own.
    public let scale: DepthPreviewScale

    /// Red, green and blue of each pixel, 3 × width × height bytes.
    public var rgb: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(indices.count * 3)
        for index in indices { bytes.append(contentsOf: palette[Int(index) * 3..<Int(index) * 3 + 3]) }
        return bytes
    }
}
