/// Brightness at half and at quarter size without its slow changes: each pixel minus the mean around it, so that a picture that
/// gets brighter as a whole still matches.
struct DetailPyramid {
    /// Local mean over 17 × 17.
    let half: Detail
    /// Local mean over 9 × 9.
    let quarter: Detail

    /// - Parameter luma: at the measured map's size.
    init(_ luma: LumaImage) {
        let halves = Self.halved(luma.pixels, width: luma.width, height: luma.height)
        let (width, height) = (luma.width / 2, luma.height / 2)
        half = Detail(sums: halves, of: 4, width: width, height: height, reach: 8)
        let quarters = Self.halved(halves, width: width, height: height)
        quarter = Detail(sums: quarters, of: 16, width: width / 2, height: height / 2, reach: 4)
    }

    /// Sums of 2 × 2; an odd row or column at the end is left out.
    private static func halved<Value: BinaryInteger>(_ values: [Value], width: Int, height: Int) -> [Int32] {
        var output: [Int32] = []
        output.reserveCapacity((width / 2) * (height / 2))
        values.withUnsafeBufferPointer { values in
            for y in 0..<height / 2 {
                for x in 0..<width / 2 {
                    let place = 2 * y * width + 2 * x
                    let (above, below) = (
                        Int32(truncatingIfNeeded: values[place]) + Int32(truncatingIfNeeded: values[place + 1]),
                        Int32(truncatingIfNeeded: values[place + width]) + Int32(truncatingIfNeeded: values[place + width + 1])
                    )
                    output.append(above + below)
                }
            }
        }
        return output
    }
}

/// A picture whose pixels are differences from the local mean, in eighths of a grey level, −2040...2040.
struct Detail {
    let width: Int
    let height: Int
    let values: [Int16]

    /// - Parameters:
    ///   - sums: of brightness over `count` pixels of the picture, at each pixel here; `count` 4 or 16.
    ///   - reach: the local mean is over 2 × reach + 1 pixels in both axes, those inside the picture.
    init(sums: [Int32], of count: Int32, width: Int, height: Int, reach: Int) {
        self.width = width
        self.height = height
        var values = [Int16](repeating: 0, count: sums.count)
        var columns = [Int32](repeating: 0, count: width)
        for y in 0..<height {
            // The sums of columns over the rows of the window.
            let (first, last) = (max(y - reach, 0), min(y + reach, height - 1))
            if y == 0 {
                for row in 0...last { for x in 0..<width { columns[x] += sums[row * width + x] } }
            } else {
                if y + reach < height { for x in 0..<width { columns[x] += sums[(y + reach) * width + x] } }
                if y > reach { for x in 0..<width { columns[x] -= sums[(y - reach - 1) * width + x] } }
            }
            var box: Int32 = columns[..<min(reach, width)].reduce(0, +)
            for x in 0..<width {
                if x + reach < width { box += columns[x + reach] }
                if x > reach { box -= columns[x - reach - 1] }
                let pixels = Int32((last - first + 1) * (min(x + reach, width - 1) - max(x - reach, 0) + 1))
                values[y * width + x] = Self.eighths(sums[y * width + x], box, of: count, pixels)
            }
        }
        self.values = values
    }

    /// 8 × (sum − box / pixels) / count, rounded to the nearest, halves up.
    private static func eighths(_ sum: Int32, _ box: Int32, of count: Int32, _ pixels: Int32) -> Int16 {
        let (numerator, denominator) = (16 * (sum * pixels - box) + count * pixels, 2 * count * pixels)
        // Division of a positive number.
        return Int16(truncatingIfNeeded: (numerator + 2048 * denominator) / denominator - 2048)
    }
}
