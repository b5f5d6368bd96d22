import CTurboJPEG
public import Foundation

/// Decodes JPEG photos with libjpeg-turbo, scaled while decoding so that small results cost little.
///
/// Excessive sizes are rejected from the header, before any allocation (``ImageLimits``). libjpeg's warnings, such as a missing end, are
/// ignored: the picture is returned, with grey for what is missing.
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

    /// The smallest of libjpeg-turbo's sizes with a longer side of at least `maxSide`, EXIF orientation not applied; the photo's own if
    /// all are smaller.
    /// - Throws: ``ImagingError`` `corrupt`, `unsupported` or `tooLarge`.
    public static func size(
        of jpeg: some ContiguousBytes, covering maxSide: Int
    ) throws(ImagingError) -> (width: Int, height: Int) {
        let (width, height) = try size(of: jpeg)
        return scaledSize(width, height, covering: maxSide)
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

    /// Decodes in colour into another program's memory, in the size of ``size(of:covering:)``, EXIF orientation not applied.
    /// - Parameters:
    ///   - bgrx: gets rows of four bytes a pixel: blue, green, red and one without a meaning.
    ///   - stride: bytes from the start of a row to that of the next.
    /// - Throws: ``ImagingError`` `corrupt`, `unsupported`, `tooLarge`, `tooManyScans`, `outOfMemory`, or `invalidArgument` if the memory
    ///   does not fit the size.
    public static func decode(
        _ jpeg: some ContiguousBytes, covering maxSide: Int, bgrx: UnsafeMutableRawBufferPointer, stride: Int
    ) throws(ImagingError) {
        try decode(jpeg, fitting: maxSide) { bytes, header, size throws(ImagingError) in
            let (width, height) = size
            guard (width * 4...width * 8).contains(stride), bgrx.count >= stride * height, let start = bgrx.baseAddress else {
                throw ImagingError(.invalidArgument, "\(width)×\(height) pixels to \(bgrx.count) bytes, \(stride) a row")
            }
            let pixels = start.assumingMemoryBound(to: UInt8.self)
            try decompress(bytes, header) { handle, source, _, _ throws(ImagingError) in
                // The last pixel's red: the byte behind it need not be written.
                let isDone = isWhole(handle, lasts: [pixels + ((height - 1) * stride + width * 4 - 2)]) {
                    tjDecompress2(
                        handle, source.bytes, source.count, pixels, Int32(width), Int32(stride), Int32(height), TJPF_BGRX.rawValue,
                        TJFLAG_LIMITSCANS)
                }
                guard isDone else { throw ImagingError(of: handle, otherwise: .corrupt) }
            }
        }
    }

    /// Decodes without converting the colours to RGB, in the smallest of libjpeg-turbo's sizes with a longer side of at least `maxSide`,
    /// EXIF orientation not applied; never enlarges.
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
            return try body(bytes, header, scaledSize(header.width, header.height, covering: maxSide))
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
        var (width, height, subsampling, colours) = (Int32(0), Int32(0), Int32(-1), Int32(-1))
        let status = tjDecompressHeader3(handle, source.bytes, source.count, &width, &height, &subsampling, &colours)
        guard status == 0 || tjGetErrorCode(handle) == TJERR_WARNING.rawValue,
            // All are known unless there was an error behind the warning; libjpeg must have read the same frame header as the checks above.
            subsampling >= 0, colours >= 0, Int(width) == header.width, Int(height) == header.height
        else { throw ImagingError(of: handle, otherwise: .corrupt) }
        return try body(handle, source, subsampling, colours)
    }

    private static func rgb(_ handle: tjhandle, _ source: Source, _ size: (width: Int, height: Int)) throws(ImagingError) -> RGBImage {
        let count = size.width * size.height * 3
        var isDone = false
        let pixels = [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            guard let start = output.baseAddress else { return }
            isDone = isWhole(handle, lasts: [start + (count - 1)]) {
                tjDecompress2(
                    handle, source.bytes, source.count, start, Int32(size.width), 0, Int32(size.height), TJPF_RGB.rawValue,
                    TJFLAG_LIMITSCANS)
            }
            initialized = isDone ? count : 0
        }
        guard isDone else { throw ImagingError(of: handle, otherwise: .corrupt) }
        return try RGBImage(width: size.width, height: size.height, pixels: pixels)
    }

    private static func planes(
        _ handle: tjhandle, _ source: Source, _ size: (width: Int, height: Int), _ subsampling: Int32
    ) throws(ImagingError) -> PlanarImage {
        let layout = JPEGPlanes(width: size.width, height: size.height, subsampling: subsampling)
        let planes = layout.filled { starts, lasts in
            isWhole(handle, lasts: lasts) {
                tjDecompressToYUVPlanes(
                    handle, source.bytes, source.count, starts, Int32(size.width), nil, Int32(size.height), TJFLAG_LIMITSCANS)
            }
        }
        guard let planes else { throw ImagingError(of: handle, otherwise: .corrupt) }
        guard planes.count == 3 else { return PlanarImage(gray: planes[0]) }
        return PlanarImage(luma: planes[0], anyBlue: planes[1], anyRed: planes[2])
    }

    /// Decodes a picture.
    ///
    /// Warnings are ignored, since there is a picture. But once there was one, libjpeg-turbo calls an error that ended the decoding a
    /// warning, too (2.1.5, `tjGetErrorCode`). Samples are written from the upper left to the lower right, so the picture is whole if the
    /// last of each plane was written, which shows in a mark that was there before. A picture may have the value of the mark there, so one
    /// in which it is found is decoded again with another mark.
    ///
    /// - Parameters:
    ///   - lasts: where the last sample of each plane goes.
    ///   - decode: calls libjpeg-turbo; returns its status.
    /// - Returns: whether all samples were written.
    private static func isWhole(_ handle: tjhandle, lasts: [UnsafeMutablePointer<UInt8>], _ decode: () -> Int32) -> Bool {
        var unproven = lasts
        for mark in [UInt8(0x5A), 0xA5] {
            for last in lasts { last.pointee = mark }
            if decode() == 0 { return true }
            guard tjGetErrorCode(handle) == TJERR_WARNING.rawValue else { return false }
            unproven.removeAll { $0.pointee != mark }
            if unproven.isEmpty { return true }
        }
        return false
    }

    /// The smallest of libjpeg-turbo's scaled sizes with a longer side of at least `maxSide`; the full size if none is.
    private static func scaledSize(_ width: Int, _ height: Int, covering maxSide: Int) -> (width: Int, height: Int) {
        var count = Int32(0)
        let factors = UnsafeBufferPointer(start: tjGetScalingFactors(&count), count: Int(count))
        var best = (width: width, height: height)
        for factor in factors where factor.num > 0 && factor.denom > 0 && factor.num < factor.denom {
            let (numerator, denominator) = (Int(factor.num), Int(factor.denom))
            // TJSCALED rounds up.
            let scaledWidth = (width * numerator + denominator - 1) / denominator
            let scaledHeight = (height * numerator + denominator - 1) / denominator
            if max(scaledWidth, scaledHeight) >= maxSide, scaledWidth * scaledHeight < best.width * best.height {
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
