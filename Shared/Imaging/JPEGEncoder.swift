import CTurboJPEG

/// Writes baseline JPEG (JFIF, 4:2:0) with libjpeg-turbo.
public enum JPEGEncoder {
    /// - Parameter quality: 1...100.
    /// - Throws: ``ImagingError`` `invalidArgument`, `encodingFailed` or `outOfMemory`.
    public static func encode(_ image: RGBImage, quality: Int) throws(ImagingError) -> [UInt8] {
        try encode(quality: quality) { handle, output, size in
            image.pixels.withUnsafeBufferPointer { source in
                tjCompress2(
                    handle, source.baseAddress, Int32(image.width), 0, Int32(image.height), TJPF_RGB.rawValue, output, size,
                    Int32(TJSAMP_420.rawValue), Int32(quality), 0)
            }
        }
    }

    /// Like ``encode(_:quality:)``, of pixels in another program's memory.
    /// - Parameters:
    ///   - bgrx: rows of four bytes a pixel: blue, green, red and one that is ignored.
    ///   - stride: bytes from the start of a row to that of the next.
    /// - Throws: as ``encode(_:quality:)``.
    public static func encode(
        bgrx: UnsafeRawBufferPointer, width: Int, height: Int, stride: Int, quality: Int
    ) throws(ImagingError) -> [UInt8] {
        guard (1...65_500).contains(width), (1...65_500).contains(height), (width * 4...width * 8).contains(stride),
            bgrx.count >= stride * height
        else {
            throw ImagingError(.invalidArgument, "\(width) × \(height) pixels in \(bgrx.count) bytes, \(stride) a row")
        }
        return try encode(quality: quality) { handle, output, size in
            tjCompress2(
                handle, bgrx.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(width), Int32(stride), Int32(height),
                TJPF_BGRX.rawValue, output, size, Int32(TJSAMP_420.rawValue), Int32(quality), 0)
        }
    }

    /// Like ``encode(_:quality:)``, without converting colours.
    static func encode(_ image: PlanarImage, quality: Int) throws(ImagingError) -> [UInt8] {
        // libjpeg-turbo reads whole blocks of 2 × 2 pixels.
        let luma = image.luma.paddedToEven()
        return try encode(quality: quality) { handle, output, size in
            luma.pixels.withUnsafeBufferPointer { luma in
                image.blue.pixels.withUnsafeBufferPointer { blue in
                    image.red.pixels.withUnsafeBufferPointer { red in
                        var planes = [luma.baseAddress, blue.baseAddress, red.baseAddress]
                        return tjCompressFromYUVPlanes(
                            handle, &planes, Int32(image.width), nil, Int32(image.height), Int32(TJSAMP_420.rawValue), output, size,
                            Int32(quality), 0)
                    }
                }
            }
        }
    }

    private static func encode(
        quality: Int,
        _ compress: (tjhandle, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<UInt>) -> Int32
    ) throws(ImagingError) -> [UInt8] {
        guard (1...100).contains(quality) else { throw ImagingError(.invalidArgument, "quality \(quality)") }
        guard let handle = tjInitCompress() else { throw ImagingError(.outOfMemory, "tjInitCompress failed") }
        defer { tjDestroy(handle) }
        // Allocated by libjpeg-turbo, even if it fails.
        var output: UnsafeMutablePointer<UInt8>?
        var size = UInt(0)
        defer { tjFree(output) }
        guard compress(handle, &output, &size) == 0, let output else {
            throw ImagingError(of: handle, otherwise: .encodingFailed)
        }
        return Array(UnsafeBufferPointer(start: output, count: Int(size)))
    }
}

extension GrayImage {
    /// Repeats the last column and row if their number is odd.
    fileprivate func paddedToEven() -> GrayImage {
        guard !width.isMultiple(of: 2) || !height.isMultiple(of: 2) else { return self }
        let (evenWidth, evenHeight) = (width + width % 2, height + height % 2)
        var padded: [UInt8] = []
        padded.reserveCapacity(evenWidth * evenHeight)
        for row in 0..<evenHeight {
            let line = pixels[min(row, height - 1) * width..<(min(row, height - 1) + 1) * width]
            padded += line
            if evenWidth > width, let last = line.last { padded.append(last) }
        }
        return GrayImage(trusted: evenWidth, evenHeight, padded)
    }
}
