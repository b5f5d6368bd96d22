import CTurboJPEG
public import Foundation

/// Decodes JPEG photos with libjpeg-turbo, scaled while decoding so that small results cost little.
///
/// Excessive sizes are rejected from the header, before any allocation (``ImageLimits``). libjpeg's warnings, such as a missing end, are
/// ignored: the picture is returned as far as it was decoded.
public enum JPEGDecoder {
    /// Size as stored, EXIF orientation not applied, in pixels.
    /// - Throws: ``ImagingError`` `corrupt`, `unsupported` or `tooLarge`.
    public static func size(of jpeg: some ContiguousBytes) throws(ImagingError) -> (width: Int, height: Int) {
        try withBytes(jpeg) { bytes throws(ImagingError) in
            let header = try JPEGHeader(bytes)
            try header.checkLimits()
            return (header.width, header.height)
        }
    }

    /// Decodes in colour with a longer side of at most `maxSide`, EXIF orientation not applied; never enlarges.
    /// - Throws: ``ImagingError`` `corrupt`, `unsupported`, `tooLarge`, `tooManyScans` or `outOfMemory`.
    public static func decodeRGB(_ jpeg: some ContiguousBytes, fitting maxSide: Int) throws(ImagingError) -> RGBImage {
        try decode(jpeg, fitting: maxSide) { bytes, header, size throws(ImagingError) in
            try decompress(bytes, header) { handle, source, _, _ throws(ImagingError) in
                try rgb(handle, source, size).fitted(maxSide: maxSide, proportions: (header.width, header.height))
            }
        }
    }

    /// Decodes without converting the colours to RGB, in the smallest of libjpeg-turbo's sizes with a longer side of at least `maxSide`, EXIF
    /// orientation not applied; never enlarges.
    /// - Returns: the picture, and the size of the photo.
    /// - Throws: ``ImagingError`` `corrupt`, `unsupported`, `tooLarge`, `tooManyScans` or `outOfMemory`.
    static func decodePlanar(
        _ jpeg: some ContiguousBytes, covering maxSide: Int
    ) throws(ImagingError) -> (image: PlanarImage, photo: (width: Int, height: Int)) {
        try decode(jpeg, fitting: maxSide) { bytes, header, size throws(ImagingError) in
            try decompress(bytes, header) { handle, source, subsampling, colours throws(ImagingError) in
                let image =
                    colours == Int32(TJCS_YCbCr.rawValue) || colours == Int32(TJCS_GRAY.rawValue)
                    ? try planes(handle, source, size, subsampling) : try PlanarImage(rgb(handle, source, size))
                return (image, (header.width, header.height))
            }
        }
    }

    /// Checks the header and chooses the scale.
    private static func decode<Image>(
        _ jpeg: some ContiguousBytes, fitting maxSide: Int,
        _ body: (UnsafeRawBufferPointer, JPEGHeader, (width: Int, height: Int)) throws(ImagingError) -> Image
    ) throws(ImagingError) -> Image {
        try withBytes(jpeg) { bytes throws(ImagingError) in
            let header = try JPEGHeader(bytes)
            try header.checkLimits()
            if header.isBuffered, JPEGHeader.scanCount(bytes) > ImageLimits.maximumScans {
                throw ImagingError(.tooManyScans, "more than \(ImageLimits.maximumScans) scans")
            }
            return try body(bytes, header, scaledSize(header.width, header.height) { width, height in max(width, height) >= maxSide })
        }
    }

    private typealias Source = (bytes: UnsafePointer<UInt8>?, count: UInt)

    private static func decompress<Image>(
        _ bytes: UnsafeRawBufferPointer, _ header: JPEGHeader,
        _ body: (_ handle: tjhandle, _ source: Source, _ subsampling: Int32, _ colours: Int32) throws(ImagingError) -> Image
    ) throws(ImagingError) -> Image {
        guard let handle = tjInitDecompress() else { throw ImagingError(.outOfMemory, "tjInitDecompress failed") }
        defer { tjDestroy(handle) }
        let source = (bytes: bytes.bindMemory(to: UInt8.self).baseAddress, count: UInt(bytes.count))
        var (width, height, subsampling, colours) = (Int32(0), Int32(0), Int32(0), Int32(0))
        guard tjDecompressHeader3(handle, source.bytes, source.count, &width, &height, &subsampling, &colours) == 0,
            // libjpeg must have read the same frame header as the checks above.
            Int(width) == header.width, Int(height) == header.height
        else { throw ImagingError(of: handle, otherwise: .corrupt) }
        return try body(handle, source, subsampling, colours)
    }

    private static func rgb(_ handle: tjhandle, _ source: Source, _ size: (width: Int, height: Int)) throws(ImagingError) -> RGBImage {
        var pixels = [UInt8](repeating: 0, count: size.width * size.height * 3)
        let status = pixels.withUnsafeMutableBufferPointer { output in
            tjDecompress2(
                handle, source.bytes, source.count, output.baseAddress, Int32(size.width), 0, Int32(size.height), TJPF_RGB.rawValue,
                TJFLAG_LIMITSCANS)
        }
        try check(status, handle)
        return try RGBImage(width: size.width, height: size.height, pixels: pixels)
    }

    private static func planes(
        _ handle: tjhandle, _ source: Source, _ size: (width: Int, height: Int), _ subsampling: Int32
    ) throws(ImagingError) -> PlanarImage {
        let planes = JPEGPlanes(width: size.width, height: size.height, subsampling: subsampling)
        let (status, bytes) = planes.filled { pointers in
            tjDecompressToYUVPlanes(
                handle, source.bytes, source.count, pointers, Int32(size.width), nil, Int32(size.height), TJFLAG_LIMITSCANS)
        }
        try check(status, handle)
        let luma = planes.plane(0, of: bytes)
        guard planes.count == 3 else { return PlanarImage(gray: luma) }
        return PlanarImage(luma: luma, anyBlue: planes.plane(1, of: bytes), anyRed: planes.plane(2, of: bytes))
    }

    /// Ignores libjpeg's warnings, since they still yield a picture.
    private static func check(_ status: Int32, _ handle: tjhandle) throws(ImagingError) {
        guard status == 0 || tjGetErrorCode(handle) == TJERR_WARNING.rawValue else {
            throw ImagingError(of: handle, otherwise: .corrupt)
        }
    }

    /// The smallest of libjpeg-turbo's scaled sizes that is large enough; the full size if none is.
    private static func scaledSize(_ width: Int, _ height: Int, _ isLargeEnough: (Int, Int) -> Bool) -> (width: Int, height: Int) {
        var count = Int32(0)
        let factors = UnsafeBufferPointer(start: tjGetScalingFactors(&count), count: Int(count))
        var best = (width: width, height: height)
        for factor in factors where factor.num > 0 && factor.denom > 0 && factor.num < factor.denom {
            let (numerator, denominator) = (Int(factor.num), Int(factor.denom))
            // TJSCALED rounds up.
            let scaledWidth = (width * numerator + denominator - 1) / denominator
            let scaledHeight = (height * numerator + denominator - 1) / denominator
            if isLargeEnough(scaledWidth, scaledHeight), scaledWidth * scaledHeight < best.width * best.height {
                best = (scaledWidth, scaledHeight)
            }
        }
        return best
    }

    private static func withBytes<Value>(
        _ bytes: some ContiguousBytes, _ body: (UnsafeRawBufferPointer) throws(ImagingError) -> Value
    ) throws(ImagingError) -> Value {
        let result: Result<Value, ImagingError> = bytes.withUnsafeBytes { buffer in
            do throws(ImagingError) { return .success(try body(buffer)) } catch { return .failure(error) }
        }
        return try result.get()
    }
}
