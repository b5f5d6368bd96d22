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
        let total = width * height
        var output: [UInt8] = []
        output.reserveCapacity(newWidth * newHeight)
        var sums = [Int](repeating: 0, count: newWidth)
        for row in 0..<newHeight {
            for index in sums.indices { sums[index] = 0 }
            // In units of 1 / newHeight source rows this target row is start..<start + height.
            let start = row * height
            for y in start / newHeight...(start + height - 1) / newHeight {
                let weight = min(start + height, (y + 1) * newHeight) - max(start, y * newHeight)
                addRow(y, weight: weight, to: &sums)
            }
            for sum in sums { output.append(UInt8((sum + total / 2) / total)) }
        }
        return LumaImage(trusted: newWidth, newHeight, output)
    }

    /// Adds a source row, scaled to `sums.count` columns. In units of 1 / `sums.count` source columns, each target column is `width` wide.
    private func addRow(_ y: Int, weight rowWeight: Int, to sums: inout [Int]) {
        let count = sums.count
        var x = 0
        // The rest of source column x.
        var rest = count
        for column in 0..<count {
            var needed = width
            var sum = 0
            while needed > 0 {
                let share = min(rest, needed)
                sum += Int(pixels[y * width + x]) * share
                needed -= share
                rest -= share
                if rest == 0 {
                    x += 1
                    rest = count
                }
            }
            sums[column] += sum * rowWeight
        }
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
