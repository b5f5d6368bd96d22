import CTurboJPEG

/// Writes baseline JPEG (JFIF, 4:2:0) with libjpeg-turbo.
public enum JPEGEncoder {
    /// - Parameter quality: 1...100.
    /// - Throws: ``ImagingError`` `invalidArgument` or `encodingFailed`.
    public static func encode(_ image: RGBImage, quality: Int) throws(ImagingError) -> [UInt8] {
        guard (1...100).contains(quality) else { throw ImagingError(.invalidArgument, "quality \(quality)") }
        guard let handle = tjInitCompress() else { throw ImagingError(.encodingFailed, "tjInitCompress failed") }
        defer { tjDestroy(handle) }
        // Allocated by libjpeg-turbo, also when it fails half-way.
        var output: UnsafeMutablePointer<UInt8>?
        var size = UInt(0)
        defer { tjFree(output) }
        let status = image.pixels.withUnsafeBufferPointer { source in
            tjCompress2(
                handle, source.baseAddress, Int32(image.width), 0, Int32(image.height), TJPF_RGB.rawValue, &output, &size,
                Int32(TJSAMP_420.rawValue), Int32(quality), 0)
        }
        guard status == 0, let output else {
            throw ImagingError(.encodingFailed, tjGetErrorStr2(handle).map { String(cString: $0) } ?? "tjCompress2 failed")
        }
        return Array(UnsafeBufferPointer(start: output, count: Int(size)))
    }
}
