import CaptureProtocol

/// A depth map: metres as float32, row-major, top row first.
public struct DepthPlane: Sendable, Equatable {
    /// In `CaptureMetadata.depthSides`, like the height.
    public let width: Int
    public let height: Int
    /// Little-endian float32, `width * height` of them, without padding. NaN and infinite values are as the sensor gave them.
    public let bytes: [UInt8]

    /// Copies a depth map out of the sensor's memory, whose rows may be padded.
    /// - Parameters:
    ///   - memory: at least `height` rows of which the last needs no padding; on iOS the locked `CVPixelBuffer`'s base address, with
    ///     `bytesPerRow * height` bytes.
    ///   - bytesPerRow: from the start of one row to the next, as `CVPixelBufferGetBytesPerRow` gives it.
    /// - Throws: ``DepthPlaneError``.
    public init(copying memory: UnsafeRawBufferPointer, bytesPerRow: Int, width: Int, height: Int) throws(DepthPlaneError) {
        try Self.check(width: width, height: height)
        let rowBytes = width * MemoryLayout<Float32>.size
        guard bytesPerRow >= rowBytes else { throw .rowsTooShort(bytesPerRow: bytesPerRow) }
        let (lastRow, overflows) = bytesPerRow.multipliedReportingOverflow(by: height - 1)
        guard !overflows, lastRow <= memory.count - rowBytes else { throw .wrongLength(bytes: memory.count) }
        bytes = [UInt8](unsafeUninitializedCapacity: rowBytes * height) { tight, count in
            for row in 0..<height {
                let source = UnsafeRawBufferPointer(rebasing: memory[row * bytesPerRow..<row * bytesPerRow + rowBytes])
                UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(tight)[row * rowBytes..<(row + 1) * rowBytes])
                    .copyMemory(from: source)
            }
            count = rowBytes * height
        }
        self.width = width
        self.height = height
    }

    /// A depth map whose rows are not padded.
    /// - Parameter bytes: little-endian float32, exactly `width * height` of them.
    /// - Throws: ``DepthPlaneError``.
    public init(bytes: [UInt8], width: Int, height: Int) throws(DepthPlaneError) {
        try Self.check(width: width, height: height)
        guard bytes.count == width * height * MemoryLayout<Float32>.size else { throw .wrongLength(bytes: bytes.count) }
        self.bytes = bytes
        self.width = width
        self.height = height
    }

    private static func check(width: Int, height: Int) throws(DepthPlaneError) {
        guard CaptureMetadata.depthSides.contains(width), CaptureMetadata.depthSides.contains(height) else {
            throw .sizeOutOfRange(width: width, height: height)
        }
    }
}

/// Why memory is not a depth map.
public enum DepthPlaneError: Error, Sendable, Equatable {
    /// A side is not in `CaptureMetadata.depthSides`.
    case sizeOutOfRange(width: Int, height: Int)
    /// Rows of fewer bytes than their values need.
    case rowsTooShort(bytesPerRow: Int)
    /// Less memory than all rows need, or another number of bytes than the values have.
    case wrongLength(bytes: Int)
}
