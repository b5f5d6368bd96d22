import CTurboJPEG
import Imaging
import Synchronization
import Testing

extension PhotoVariants {
    /// All copies; no large one if the small one has all pixels.
    func copies(orientation: Int) throws(ImagingError) -> (thumbnail: Picture, small: Picture, large: Picture?) {
        let made = Mutex<[Size: Picture]>([:])
        try makeCopies(orientation: orientation) { size, picture in made.withLock { $0[size] = picture } }
        let copies = made.withLock { $0 }
        guard let thumbnail = copies[.thumbnail], let small = copies[.small] else {
            throw ImagingError(.encodingFailed, "a copy is missing")
        }
        return (thumbnail, small, copies[.large])
    }
}

/// Synthetic pictures.
enum TestPictures {
    /// Smooth colours with a bright square in the upper left corner.
    static func gradient(width: Int, height: Int) throws -> RGBImage {
        var pixels: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let isMarked = x < width / 4 && y < height / 4
                pixels += isMarked ? [250, 250, 250] : [UInt8(x * 100 / width), UInt8(y * 100 / height), 60]
            }
        }
        return try RGBImage(width: width, height: height, pixels: pixels)
    }

    static func jpeg(width: Int, height: Int) throws -> [UInt8] {
        try JPEGEncoder.encode(try gradient(width: width, height: height), quality: 90)
    }

    static func jpeg(_ image: RGBImage, _ subsampling: TJSAMP, flags: Int32 = 0) throws -> [UInt8] {
        let handle = try #require(tjInitCompress())
        defer { tjDestroy(handle) }
        var output: UnsafeMutablePointer<UInt8>?
        var size = UInt(0)
        defer { tjFree(output) }
        let status = tjCompress2(
            handle, image.pixels, Int32(image.width), 0, Int32(image.height), TJPF_RGB.rawValue, &output, &size,
            Int32(subsampling.rawValue), 92, flags)
        try #require(status == 0)
        return Array(UnsafeBufferPointer(start: try #require(output), count: Int(size)))
    }

    /// The same file with an unknown version of JFIF, of which libjpeg warns and which changes nothing.
    static func warning(_ jpeg: [UInt8]) -> [UInt8] {
        var changed = jpeg
        changed[11] = 2
        return changed
    }

    /// The same file with a second scan of a component that is not there, which libjpeg cannot read.
    static func broken(_ progressive: [UInt8]) -> [UInt8] {
        var changed = progressive
        let scans = progressive.indices.dropLast(5).filter { progressive[$0] == 0xFF && progressive[$0 + 1] == 0xDA }
        if scans.count > 1 { changed[scans[1] + 5] = 9 }
        return changed
    }

    /// The offset of the frame header's body.
    static func frame(in jpeg: [UInt8]) -> Int? {
        jpeg.indices.dropLast().first { jpeg[$0] == 0xFF && (0xC0...0xC2).contains(jpeg[$0 + 1]) }.map { $0 + 4 }
    }

    /// The same file with another size in its header.
    static func announcing(width: Int, height: Int, _ jpeg: [UInt8]) -> [UInt8] {
        var changed = jpeg
        guard let start = frame(in: jpeg) else { return [] }
        changed[start + 1] = UInt8(height >> 8)
        changed[start + 2] = UInt8(height & 255)
        changed[start + 3] = UInt8(width >> 8)
        changed[start + 4] = UInt8(width & 255)
        return changed
    }
}
