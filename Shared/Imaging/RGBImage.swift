/// Red, green and blue, 8 bits each, interleaved, row-major, top row first.
public struct RGBImage: Sendable, Equatable {
    public let width: Int
    public let height: Int
    /// 3 × width × height bytes.
    public let pixels: [UInt8]

    /// - Throws: ``ImagingError`` `invalidArgument` if the count is not `3 * width * height`.
    public init(width: Int, height: Int, pixels: [UInt8]) throws(ImagingError) {
        try ImageShape.check(width: width, height: height, channels: 3, count: pixels.count)
        self.init(trusted: width, height, pixels)
    }

    init(trusted width: Int, _ height: Int, _ pixels: [UInt8]) {
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// Scales by area average so that the longer side is `maxSide`, with the same proportions; never enlarges.
    public func fitted(maxSide: Int) -> RGBImage { fitted(maxSide: maxSide, proportions: (width, height)) }

    /// - Parameter proportions: of the original picture; those of an already scaled one are rounded, which would be visible in narrow
    ///   pictures.
    func fitted(maxSide: Int, proportions: (width: Int, height: Int)) -> RGBImage {
        guard let size = AreaScaler.size(of: (width, height), fitting: maxSide, proportions: proportions) else { return self }
        let scaler = AreaScaler(from: (width, height), to: size, channels: 3)
        return RGBImage(trusted: size.width, size.height, pixels.withUnsafeBufferPointer(scaler.scale))
    }

    /// Rotates and mirrors by this EXIF orientation (Exif 2.32 §4.6.4, tag 0x0112); unchanged for unknown values.
    public func oriented(_ orientation: Int) -> RGBImage {
        guard let turn = EXIFTurn(orientation, width: width, height: height) else { return self }
        let output = [UInt8](unsafeUninitializedCapacity: pixels.count) { output, initialized in
            pixels.withUnsafeBufferPointer { source in
                turn.forEachPixel { place, origin in
                    output[place * 3] = source[origin * 3]
                    output[place * 3 + 1] = source[origin * 3 + 1]
                    output[place * 3 + 2] = source[origin * 3 + 2]
                }
            }
            initialized = pixels.count
        }
        return RGBImage(trusted: turn.width, turn.height, output)
    }
}
