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
        let layout = JPEGPlanes(width: image.width, height: image.height, subsampling: Int32(TJSAMP_420.rawValue))
        let planes = layout.filled { starts, _ in
            image.pixels.withUnsafeBufferPointer { source in
                tjEncodeYUVPlanes(
                    handle, source.baseAddress, Int32(image.width), 0, Int32(image.height), TJPF_RGB.rawValue, starts, nil,
                    Int32(TJSAMP_420.rawValue), 0) == 0
            }
        }
        guard let planes else { throw ImagingError(of: handle, otherwise: .corrupt) }
        self.init(luma: planes[0], anyBlue: planes[1], anyRed: planes[2])
    }
}

/// The sizes of a picture's planes for libjpeg-turbo, which pads them to whole groups of samples.
struct JPEGPlanes {
    private typealias Size = (width: Int, height: Int)
    /// Where libjpeg-turbo writes: to the start of each plane.
    typealias Starts = UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>

    /// The sizes without padding.
    private let shapes: [Size]
    private let padded: [Size]

    /// - Parameter subsampling: one of `TJSAMP`.
    init(width: Int, height: Int, subsampling: Int32) {
        let (columns, rows): (Int, Int) =
            switch TJSAMP(rawValue: UInt32(bitPattern: subsampling)) {
            case TJSAMP_422: (2, 1)
            case TJSAMP_420: (2, 2)
            case TJSAMP_440: (1, 2)
            case TJSAMP_411: (4, 1)
            default: (1, 1)
            }
        let size: Size = (width, height)
        let groups: Size = ((width + columns - 1) / columns, (height + rows - 1) / rows)
        let isGray = subsampling == Int32(TJSAMP_GRAY.rawValue)
        shapes = isGray ? [size] : [size, groups, groups]
        padded = isGray ? [size] : [(groups.width * columns, groups.height * rows), groups, groups]
    }

    /// Calls `body` to write the planes, each into memory of its own that nobody has written to.
    /// - Parameter body: gets the start of each plane, and its last sample that is not padding; returns whether all samples were written.
    /// - Returns: brightness, and where there are colours blue and red, without the padding; `nil` if not all samples were written.
    func filled(_ body: (Starts, _ lasts: [UnsafeMutablePointer<UInt8>]) -> Bool) -> [GrayImage]? {
        var isWritten = false
        let written = planes(behind: [], &isWritten) { starts in
            let lasts = starts.indices.map { index in
                let offset = (shapes[index].height - 1) * padded[index].width + shapes[index].width - 1
                return starts[index] + offset
            }
            var pointers = starts.map(Optional.some)
            return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!, lasts) }
        }
        guard isWritten else { return nil }
        return written.indices.map { Self.cropped(written[$0], from: padded[$0], to: shapes[$0]) }
    }

    /// The planes behind the first ones. They are made one inside the other, because memory is uninitialized only while an array is made.
    private func planes(
        behind starts: [UnsafeMutablePointer<UInt8>], _ isWritten: inout Bool, _ write: ([UnsafeMutablePointer<UInt8>]) -> Bool
    ) -> [[UInt8]] {
        guard starts.count < padded.count else {
            isWritten = write(starts)
            return []
        }
        let count = padded[starts.count].width * padded[starts.count].height
        var others: [[UInt8]] = []
        let plane = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            guard let start = buffer.baseAddress else { return }
            others = planes(behind: starts + [start], &isWritten, write)
            initialized = isWritten ? count : 0
        }
        return [plane] + others
    }

    private static func cropped(_ plane: [UInt8], from whole: Size, to shape: Size) -> GrayImage {
        guard shape != whole else { return GrayImage(trusted: shape.width, shape.height, plane) }
        let count = shape.width * shape.height
        let pixels = [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            plane.withUnsafeBufferPointer { plane in
                guard let source = plane.baseAddress, let target = output.baseAddress else { return }
                for row in 0..<shape.height {
                    (target + row * shape.width).initialize(from: source + row * whole.width, count: shape.width)
                }
                initialized = count
            }
        }
        return GrayImage(trusted: shape.width, shape.height, pixels)
    }
}
