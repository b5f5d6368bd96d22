import AreaAverage

/// Brightness of a photo, 8 bits a pixel, row-major, top row first, in the layout of the file (EXIF orientation not applied).
public struct LumaImage: Sendable, Equatable {
    public let width: Int
    public let height: Int
    public let pixels: [UInt8]

    /// - Throws: ``DepthError``: `dimensionsOutOfRange` for a side under 1 or over 65,535, `shapeMismatch` if the count is
    ///   not `width * height`.
    public init(width: Int, height: Int, pixels: [UInt8]) throws(DepthError) {
        guard (1...65_535).contains(width), (1...65_535).contains(height) else {
            throw DepthError(.dimensionsOutOfRange, "luma of \(width)×\(height)")
        }
        guard pixels.count == width * height else {
            throw DepthError(.shapeMismatch, "\(pixels.count) pixels for \(width)×\(height)")
        }
        self.init(trusted: width, height, pixels)
    }

    /// - Parameter pixels: `width * height` of them.
    init(trusted width: Int, _ height: Int, _ pixels: [UInt8]) {
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// Scales by area average, in exact integer arithmetic.
    func scaled(toWidth newWidth: Int, height newHeight: Int) -> LumaImage {
        guard newWidth != width || newHeight != height else { return self }
        let average = AreaAverage(from: (width, height), to: (newWidth, newHeight))
        let scaled = pixels.withUnsafeBufferPointer { pixels in
            average.scale { y in UnsafeBufferPointer(rebasing: pixels[y * width..<(y + 1) * width]) }
        }
        return LumaImage(trusted: newWidth, newHeight, scaled)
    }

    /// The middle of the picture; of an odd difference the larger half is cut off at the right and at the bottom.
    /// - Parameters: at most the size of the picture.
    func middle(width newWidth: Int, height newHeight: Int) -> LumaImage {
        let (columns, rows) = (min(newWidth, width), min(newHeight, height))
        let (left, top) = ((width - columns) / 2, (height - rows) / 2)
        var output: [UInt8] = []
        output.reserveCapacity(columns * rows)
        for y in top..<top + rows { output += pixels[y * width + left..<y * width + left + columns] }
        return LumaImage(trusted: columns, rows, output)
    }

    /// Turns and mirrors as a viewer does for this EXIF orientation (Exif 2.32 §4.6.4, tag 0x0112); 1 for anything unknown.
    func oriented(_ orientation: Int) -> LumaImage {
        let (w, h) = (width, height)
        let swaps = (5...8).contains(orientation)
        let (newWidth, newHeight) = swaps ? (h, w) : (w, h)
        guard (2...8).contains(orientation) else { return self }
        var output: [UInt8] = []
        output.reserveCapacity(pixels.count)
        for y in 0..<newHeight {
            for x in 0..<newWidth {
                let (sourceX, sourceY) =
                    switch orientation {
                    case 2: (w - 1 - x, y)
                    case 3: (w - 1 - x, h - 1 - y)
                    case 4: (x, h - 1 - y)
                    case 5: (y, x)
                    case 6: (y, h - 1 - x)
                    case 7: (w - 1 - y, h - 1 - x)
                    default: (w - 1 - y, x)
                    }
                output.append(pixels[sourceY * w + sourceX])
            }
        }
        return LumaImage(trusted: newWidth, newHeight, output)
    }
}
