/// A greyscale picture: 8 bits a pixel, row-major, top row first.
public struct GrayImage: Sendable, Equatable {
    public let width: Int
    public let height: Int
    public let pixels: [UInt8]

    /// - Throws: ``ImagingError`` `invalidArgument` if the count is not `width * height`.
    public init(width: Int, height: Int, pixels: [UInt8]) throws(ImagingError) {
        try ImageShape.check(width: width, height: height, channels: 1, count: pixels.count)
        self.init(trusted: width, height, pixels)
    }

    init(trusted width: Int, _ height: Int, _ pixels: [UInt8]) {
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// Scales by area average.
    func scaled(to size: (width: Int, height: Int)) -> GrayImage {
        guard size.width != width || size.height != height else { return self }
        let scaler = AreaScaler(from: (width, height), to: size, channels: 1)
        return GrayImage(trusted: size.width, size.height, pixels.withUnsafeBufferPointer(scaler.scale))
    }

    /// Scales by area average so that the longer side is `maxSide`; never enlarges.
    func fitted(maxSide: Int) -> GrayImage { fitted(maxSide: maxSide, proportions: (width, height)) }

    /// - Parameter proportions: of the original picture; those of an already scaled one are rounded, which would be visible in narrow
    ///   pictures.
    func fitted(maxSide: Int, proportions: (width: Int, height: Int)) -> GrayImage {
        AreaScaler.size(of: (width, height), fitting: maxSide, proportions: proportions).map(scaled) ?? self
    }

    /// Rotated and mirrored by this EXIF orientation; unchanged for unknown values.
    func oriented(_ orientation: Int) -> GrayImage {
        guard let turn = EXIFTurn(orientation, width: width, height: height) else { return self }
        let output = [UInt8](unsafeUninitializedCapacity: pixels.count) { output, initialized in
            pixels.withUnsafeBufferPointer { source in turn.forEachPixel { place, origin in output[place] = source[origin] } }
            initialized = pixels.count
        }
        return GrayImage(trusted: turn.width, turn.height, output)
    }
}

/// Checks that a pixel buffer fits the picture's size.
enum ImageShape {
    static func check(width: Int, height: Int, channels: Int, count: Int) throws(ImagingError) {
        guard (1...ImageLimits.maximumSide).contains(width), (1...ImageLimits.maximumSide).contains(height),
            count == width * height * channels
        else { throw ImagingError(.invalidArgument, "\(count) bytes for \(width)×\(height)×\(channels)") }
    }
}
