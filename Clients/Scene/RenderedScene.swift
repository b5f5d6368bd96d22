public import Compression

/// A photo and its depth map, covering the same field of view.
public struct RenderedScene: Sendable {
    /// The photo, with EXIF.
    public let jpeg: [UInt8]
    /// Metres along the optical axis, row-major, top row first; 0 without a measurement.
    public let depth: [Float]
    public let depthWidth: Int
    public let depthHeight: Int

    /// Little-endian float32, as uploaded before compression.
    public var depthBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(depth.count * 4)
        for metres in depth {
            let bits = metres.bitPattern
            for shift in stride(from: UInt32(0), to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
        }
        return bytes
    }

    /// RFC 1952.
    public func depthGzip() throws(DeflateError) -> [UInt8] { try Deflate.compress(depthBytes, wrapping: .gzip) }
}
