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
        let columns = AreaSpan.all(from: width, to: newWidth)
        let total = width * height
        var output: [UInt8] = []
        output.reserveCapacity(newWidth * newHeight * 3)
        var sums = [Int](repeating: 0, count: newWidth * 3)
        pixels.withUnsafeBufferPointer { source in
            for row in AreaSpan.all(from: height, to: newHeight) {
                for index in sums.indices { sums[index] = 0 }
                for y in row.indices {
                    let rowWeight = row.weight(of: y)
                    for (place, column) in columns.enumerated() {
                        var (red, green, blue) = (0, 0, 0)
                        for x in column.indices {
                            let weight = column.weight(of: x)
                            let offset = (y * width + x) * 3
                            red += Int(source[offset]) * weight
                            green += Int(source[offset + 1]) * weight
                            blue += Int(source[offset + 2]) * weight
                        }
                        sums[place * 3] += red * rowWeight
                        sums[place * 3 + 1] += green * rowWeight
                        sums[place * 3 + 2] += blue * rowWeight
                    }
                }
                for sum in sums { output.append(UInt8((sum + total / 2) / total)) }
            }
        }
        return RGBImage(trusted: newWidth, newHeight, output)
    }

    /// Turns and mirrors as a viewer does for this EXIF orientation (Exif 2.32 §4.6.4, tag 0x0112); unchanged for anything
    /// unknown.
    public func oriented(_ orientation: Int) -> RGBImage {
        guard (2...8).contains(orientation) else { return self }
        let (w, h) = (width, height)
        let (newWidth, newHeight) = orientation >= 5 ? (h, w) : (w, h)
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
                let offset = (sourceY * w + sourceX) * 3
                output.append(pixels[offset])
                output.append(pixels[offset + 1])
                output.append(pixels[offset + 2])
            }
        }
        return RGBImage(trusted: newWidth, newHeight, output)
    }
}

/// The source pixels under one target pixel, weighted by the area covered, in units of 1 / target source pixels.
private struct AreaSpan {
    let start: Int
    let end: Int
    let unit: Int

    var indices: ClosedRange<Int> { start / unit...(end - 1) / unit }

    func weight(of index: Int) -> Int { min(end, (index + 1) * unit) - max(start, index * unit) }

    static func all(from source: Int, to target: Int) -> [AreaSpan] {
        (0..<target).map { AreaSpan(start: $0 * source, end: ($0 + 1) * source, unit: target) }
    }
}
