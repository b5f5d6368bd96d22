import CTurboJPEG

/// A picture in JPEG's colour space: brightness, and two colour differences at half its width and height (4:2:0, full range, ITU-T T.871).
/// It avoids the conversion to RGB and back.
struct PlanarImage: Sendable, Equatable {
    /// Brightness, at the picture's size.
    let luma: GrayImage
    /// Differences to blue and red, each of half the width and height, rounded up.
    let blue: GrayImage
    let red: GrayImage

    var width: Int { luma.width }
    var height: Int { luma.height }

    /// Rotated and mirrored by this EXIF orientation; unchanged for unknown values.
    func oriented(_ orientation: Int) -> PlanarImage {
        PlanarImage(luma: luma.oriented(orientation), blue: blue.oriented(orientation), red: red.oriented(orientation))
    }

    static func half(_ size: (width: Int, height: Int)) -> (width: Int, height: Int) { ((size.width + 1) / 2, (size.height + 1) / 2) }
}

extension PlanarImage {
    /// From colour planes of any size.
    init(luma: GrayImage, anyBlue blue: GrayImage, anyRed red: GrayImage) {
        let half = Self.half((luma.width, luma.height))
        self.init(luma: luma, blue: blue.scaled(to: half), red: red.scaled(to: half))
    }

    /// Without colour.
    init(gray: GrayImage) {
        let half = Self.half((gray.width, gray.height))
        let none = GrayImage(trusted: half.width, half.height, [UInt8](repeating: 128, count: half.width * half.height))
        self.init(luma: gray, blue: none, red: none)
    }

    /// - Throws: ``ImagingError`` `corrupt` or `outOfMemory` if libjpeg-turbo fails.
    init(_ image: RGBImage) throws(ImagingError) {
        guard let handle = tjInitCompress() else { throw ImagingError(.outOfMemory, "tjInitCompress failed") }
        defer { tjDestroy(handle) }
        let planes = JPEGPlanes(width: image.width, height: image.height, subsampling: Int32(TJSAMP_420.rawValue))
        let (isDone, bytes) = planes.filled { starts, _ in
            image.pixels.withUnsafeBufferPointer { source in
                tjEncodeYUVPlanes(
                    handle, source.baseAddress, Int32(image.width), 0, Int32(image.height), TJPF_RGB.rawValue, starts, nil,
                    Int32(TJSAMP_420.rawValue), 0) == 0
            }
        }
        guard isDone else { throw ImagingError(of: handle, otherwise: .corrupt) }
        self.init(luma: planes.plane(0, of: bytes), anyBlue: planes.plane(1, of: bytes), anyRed: planes.plane(2, of: bytes))
    }
}

/// The memory layout of a picture's planes for libjpeg-turbo: consecutive, padded to whole groups of samples.
struct JPEGPlanes {
    private let size: (width: Int, height: Int)
    /// The sizes without padding.
    private let shapes: [(width: Int, height: Int)]
    private let padded: [(width: Int, height: Int)]

    var count: Int { padded.count }
    var byteCount: Int { padded.reduce(0) { $0 + $1.width * $1.height } }

    /// - Parameter subsampling: one of `TJSAMP`.
    init(width: Int, height: Int, subsampling: Int32) {
        size = (width, height)
        let (columns, rows): (Int, Int) =
            switch TJSAMP(rawValue: UInt32(bitPattern: subsampling)) {
            case TJSAMP_422: (2, 1)
            case TJSAMP_420: (2, 2)
            case TJSAMP_440: (1, 2)
            case TJSAMP_411: (4, 1)
            default: (1, 1)
            }
        let groups = ((width + columns - 1) / columns, (height + rows - 1) / rows)
        let isGray = subsampling == Int32(TJSAMP_GRAY.rawValue)
        shapes = isGray ? [size] : [size, groups, groups]
        padded = isGray ? [size] : [(groups.0 * columns, groups.1 * rows), groups, groups]
    }

    /// Where libjpeg-turbo writes: to the start of each plane.
    typealias Starts = UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>

    /// Calls `body` to write the planes into newly allocated memory.
    /// - Parameter body: gets the start of each plane, and its last sample that is not padding.
    func filled<Result>(_ body: (Starts, _ lasts: [UnsafeMutablePointer<UInt8>]) -> Result) -> (result: Result, bytes: [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let result = bytes.withUnsafeMutableBufferPointer { buffer in
            var (starts, lasts): ([UnsafeMutablePointer<UInt8>?], [UnsafeMutablePointer<UInt8>]) = ([], [])
            var start = buffer.baseAddress!
            for (shape, whole) in zip(shapes, padded) {
                starts.append(start)
                lasts.append(start + (shape.height - 1) * whole.width + shape.width - 1)
                start += whole.width * whole.height
            }
            return starts.withUnsafeMutableBufferPointer { body($0.baseAddress!, lasts) }
        }
        return (result, bytes)
    }

    /// One plane without its padding.
    func plane(_ index: Int, of bytes: [UInt8]) -> GrayImage {
        let (shape, whole) = (shapes[index], padded[index])
        let start = padded[..<index].reduce(0) { $0 + $1.width * $1.height }
        guard shape.width != whole.width || shape.height != whole.height else {
            return GrayImage(trusted: shape.width, shape.height, Array(bytes[start..<start + whole.width * whole.height]))
        }
        let rows = (0..<shape.height).lazy.flatMap { bytes[start + $0 * whole.width..<start + $0 * whole.width + shape.width] }
        return GrayImage(trusted: shape.width, shape.height, Array(rows))
    }
}
