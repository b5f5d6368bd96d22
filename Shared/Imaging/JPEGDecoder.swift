import CTurboJPEG
import Foundation

/// Decodes JPEG photos with libjpeg-turbo, scaled while decoding so that small results cost little.
///
/// Sizes are refused from the header, before anything is allocated (``ImageLimits``). What libjpeg calls a warning, such as a
/// missing end, gives the picture as far as it goes.
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

    /// Decodes the brightness at the smallest scale whose longer and shorter side are at least the target's, or at full size.
    /// - Throws: ``ImagingError`` `corrupt`, `unsupported`, `tooLarge` or `tooManyScans`.
    public static func decodeLuma(
        _ jpeg: some ContiguousBytes, covering target: (width: Int, height: Int)
    ) throws(ImagingError) -> GrayImage {
        let longest = max(target.width, target.height)
        let shortest = min(target.width, target.height)
        let decoded = try decode(jpeg, TJPF_GRAY, channels: 1) { width, height in
            max(width, height) >= longest && min(width, height) >= shortest
        }
        return try GrayImage(width: decoded.width, height: decoded.height, pixels: decoded.pixels)
    }

    /// Decodes in colour with a longer side of at most `maxSide`, EXIF orientation not applied; never enlarges.
    /// - Throws: ``ImagingError`` `corrupt`, `unsupported`, `tooLarge` or `tooManyScans`.
    public static func decodeRGB(_ jpeg: some ContiguousBytes, fitting maxSide: Int) throws(ImagingError) -> RGBImage {
        let decoded = try decode(jpeg, TJPF_RGB, channels: 3) { width, height in max(width, height) >= maxSide }
        let image = try RGBImage(width: decoded.width, height: decoded.height, pixels: decoded.pixels)
        return image.fitted(maxSide: maxSide, proportions: decoded.original)
    }

    /// - original: size as stored.
    private typealias Decoded = (width: Int, height: Int, pixels: [UInt8], original: (width: Int, height: Int))

    /// - Parameter isLargeEnough: asked with scaled sizes.
    private static func decode(
        _ jpeg: some ContiguousBytes, _ format: TJPF, channels: Int, isLargeEnough: (Int, Int) -> Bool
    ) throws(ImagingError) -> Decoded {
        try withBytes(jpeg) { bytes throws(ImagingError) in
            let header = try JPEGHeader(bytes)
            try header.checkLimits()
            if header.isBuffered, JPEGHeader.scanCount(bytes) > ImageLimits.maximumScans {
                throw ImagingError(.tooManyScans, "more than \(ImageLimits.maximumScans) scans")
            }
            let scaled = scaledSize(header.width, header.height, isLargeEnough)
            return try decompress(bytes, header, to: scaled, format, channels: channels)
        }
    }

    private static func decompress(
        _ bytes: UnsafeRawBufferPointer, _ header: JPEGHeader, to size: (width: Int, height: Int), _ format: TJPF, channels: Int
    ) throws(ImagingError) -> Decoded {
        guard let handle = tjInitDecompress() else { throw ImagingError(.corrupt, "tjInitDecompress failed") }
        defer { tjDestroy(handle) }
        let source = bytes.bindMemory(to: UInt8.self).baseAddress
        var (width, height, subsampling, colours) = (Int32(0), Int32(0), Int32(0), Int32(0))
        guard tjDecompressHeader3(handle, source, UInt(bytes.count), &width, &height, &subsampling, &colours) == 0,
            // libjpeg must have found the frame that was checked.
            Int(width) == header.width, Int(height) == header.height
        else { throw ImagingError(.corrupt, message(of: handle)) }
        var pixels = [UInt8](repeating: 0, count: size.width * size.height * channels)
        let status = pixels.withUnsafeMutableBufferPointer { output in
            tjDecompress2(
                handle, source, UInt(bytes.count), output.baseAddress, Int32(size.width), 0, Int32(size.height),
                format.rawValue, TJFLAG_LIMITSCANS)
        }
        guard status == 0 || tjGetErrorCode(handle) == TJERR_WARNING.rawValue else {
            throw ImagingError(.corrupt, message(of: handle))
        }
        return (size.width, size.height, pixels, (header.width, header.height))
    }

    /// The smallest of libjpeg-turbo's scales that is large enough, full size if none below it is.
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

    private static func message(of handle: tjhandle) -> String {
        tjGetErrorStr2(handle).map { String(cString: $0) } ?? "not decodable"
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
