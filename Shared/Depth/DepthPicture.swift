/// A picture of few colours: one palette index a pixel, row-major, top row first.
public struct DepthPicture: Sendable, Equatable {
    public let width: Int
    public let height: Int
    /// Each is below the palette's number of colours.
    public internal(set) var indices: [UInt8]
    /// Red, green and blue of each colour, three bytes each.
    public let palette: [UInt8]

    /// Red, green and blue of each pixel, 3 × width × height bytes.
    public var rgb: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(indices.count * 3)
        for index in indices { bytes.append(contentsOf: palette[Int(index) * 3..<Int(index) * 3 + 3]) }
        return bytes
    }

    /// Fills a rectangle; what lies outside the picture is left out.
    mutating func fill(x: Int, y: Int, width: Int, height: Int, with index: UInt8) {
        for row in max(y, 0)..<max(min(y + height, self.height), max(y, 0)) {
            for column in max(x, 0)..<max(min(x + width, self.width), max(x, 0)) {
                indices[row * self.width + column] = index
            }
        }
    }
}
