/// Brightness, 8 bits a pixel, row-major, top row first.
public struct GrayImage: Sendable, Equatable {
    public let width: Int
    public let height: Int
    public let pixels: [UInt8]

    /// - Throws: ``ImagingError`` `invalidArgument` if the count is not `width * height`.
    public init(width: Int, height: Int, pixels: [UInt8]) throws(ImagingError) {
        try ImageShape.check(width: width, height: height, channels: 1, count: pixels.count)
        self.width = width
        self.height = height
        self.pixels = pixels
    }
}

/// Sizes that pixel buffers must fit.
enum ImageShape {
    static func check(width: Int, height: Int, channels: Int, count: Int) throws(ImagingError) {
        guard (1...ImageLimits.maximumSide).contains(width), (1...ImageLimits.maximumSide).contains(height),
            count == width * height * channels
        else { throw ImagingError(.invalidArgument, "\(count) bytes for \(width)×\(height)×\(channels)") }
    }
}
