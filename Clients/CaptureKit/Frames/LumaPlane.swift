import Depth

/// The brightness of a picture as the camera stores it: 8 bits a pixel, row-major, top row first, of any size.
///
/// In privacy mode the depth map is compared with it. On a phone it is the first plane of the camera's buffer, since the library itself
/// decodes no JPEG.
public struct LumaPlane: Sendable, Equatable {
    public let width: Int
    public let height: Int
    /// `width * height` of them, without padding.
    public let pixels: [UInt8]

    /// Copies a plane out of the camera's memory, whose rows may be padded.
    /// - Parameters:
    ///   - memory: at least `height` rows of which the last needs no padding.
    ///   - bytesPerRow: from the start of one row to the next, as `CVPixelBufferGetBytesPerRowOfPlane` gives it.
    /// - Returns: `nil` for a side under 1 or over 65,535, and for less memory than the rows need.
    public init?(copying memory: UnsafeRawBufferPointer, bytesPerRow: Int, width: Int, height: Int) {
        guard (1...65_535).contains(width), (1...65_535).contains(height), bytesPerRow >= width else { return nil }
        let (lastRow, overflows) = bytesPerRow.multipliedReportingOverflow(by: height - 1)
        guard !overflows, memory.count >= width, lastRow <= memory.count - width else { return nil }
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height)
        for row in 0..<height { pixels += memory[row * bytesPerRow..<row * bytesPerRow + width] }
        self.pixels = pixels
        self.width = width
        self.height = height
    }

    /// A plane whose rows are not padded.
    /// - Returns: `nil` for a side under 1 or over 65,535, and for another number of pixels.
    public init?(pixels: [UInt8], width: Int, height: Int) {
        guard (1...65_535).contains(width), (1...65_535).contains(height), pixels.count == width * height else { return nil }
        self.pixels = pixels
        self.width = width
        self.height = height
    }

    var image: LumaImage? { try? LumaImage(width: width, height: height, pixels: pixels) }
}
