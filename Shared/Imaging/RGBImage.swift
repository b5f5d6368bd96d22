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

    /// Scales by area average so that the longer side is `maxSide` and the proportions stay; never enlarges.
    public func fitted(maxSide: Int) -> RGBImage { fitted(maxSide: maxSide, proportions: (width, height)) }

    /// Fits with the proportions of the picture that this one was scaled from, whose rounding would show in narrow pictures.
    func fitted(maxSide: Int, proportions: (width: Int, height: Int)) -> RGBImage {
        let longest = max(proportions.width, proportions.height)
        guard maxSide >= 1, max(width, height) > maxSide else { return self }
        let newWidth = max(1, (proportions.width * maxSide + longest / 2) / longest)
        let newHeight = max(1, (proportions.height * maxSide + longest / 2) / longest)
        return scaled(toWidth: newWidth, height: newHeight)
    }

    private func scaled(toWidth newWidth: Int, height newHeight: Int) -> RGBImage {
        let scaler = AreaScaler(from: (width, height), to: (newWidth, newHeight))
        return RGBImage(trusted: newWidth, newHeight, pixels.withUnsafeBufferPointer(scaler.scale))
    }

    /// Turns and mirrors as a viewer does for this EXIF orientation (Exif 2.32 §4.6.4, tag 0x0112); unchanged for anything
    /// unknown.
    public func oriented(_ orientation: Int) -> RGBImage {
        guard (2...8).contains(orientation) else { return self }
        let (newWidth, newHeight) = orientation >= 5 ? (height, width) : (width, height)
        // Where the first pixel of the new picture is in this one, and how far the next to the right and the next below are.
        let (right, bottom) = (width - 1, (height - 1) * width)
        let (first, across, down) =
            switch orientation {
            case 2: (right, -1, width)
            case 3: (bottom + right, -1, -width)
            case 4: (bottom, 1, -width)
            case 5: (0, width, 1)
            case 6: (bottom, -width, 1)
            case 7: (bottom + right, -width, -1)
            default: (right, width, -1)
            }
        let output = [UInt8](unsafeUninitializedCapacity: pixels.count) { output, initialized in
            pixels.withUnsafeBufferPointer { source in
                var place = 0
                for y in 0..<newHeight {
                    var offset = (first + y * down) * 3
                    for _ in 0..<newWidth {
                        output[place] = source[offset]
                        output[place + 1] = source[offset + 1]
                        output[place + 2] = source[offset + 2]
                        place += 3
                        offset += across * 3
                    }
                }
            }
            initialized = pixels.count
        }
        return RGBImage(trusted: newWidth, newHeight, output)
    }
}
