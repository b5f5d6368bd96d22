import Imaging

/// Synthetic pictures.
enum TestPictures {
    /// Smooth colours.
    static func jpeg(width: Int, height: Int) throws -> [UInt8] {
        var pixels: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width { pixels += [UInt8(x * 200 / width), UInt8(y * 200 / height), 60] }
        }
        return try JPEGEncoder.encode(try RGBImage(width: width, height: height, pixels: pixels), quality: 90)
    }
}
