import Dispatch
import JPEGMetadata
import Synchronization

/// Decodes a photo once for everything that is derived from its pixels: upright copies for pages and lists, without metadata except the
/// colour profile, and the brightness with which its depth map is compared. The sizes in bytes keep pages fast on a phone.
public struct PhotoVariants: Sendable {
    /// Longer side of the thumbnail in pixels.
    public static let thumbnailSide = 480
    /// Longer side of the small copy in pixels.
    public static let smallSide = 828
    /// Longer side of the large copy in pixels.
    public static let largeSide = 1656
    public static let maximumThumbnailBytes = 80_000
    public static let maximumSmallBytes = 160_000
    public static let maximumLargeBytes = 480_000
    private static let bestQuality = 82
    /// Tried in order if the best quality gives too large a file.
    /// - share: the approximate file size at this quality, as a share of that at the best.
    private static let lowerQualities: [(quality: Int, share: Double)] = [
        (76, 0.84), (70, 0.74), (62, 0.64), (54, 0.57), (44, 0.49), (34, 0.4), (24, 0.31),
    ]
    /// Cameras' profiles have some hundred bytes. A larger one is left out, since it would cost more than it improves.
    private static let maximumProfileBytes = 4096

    /// The brightness, not rotated, largest first.
    private let large: GrayImage
    private let small: GrayImage
    private let thumbnail: GrayImage
    /// Colour differences, not rotated, in the size that was decoded. Only copies need them, so they are scaled there.
    private let blue: GrayImage
    private let red: GrayImage
    private let profile: [UInt8]

    /// Decodes the photo.
    /// - Throws: ``ImagingError``.
    public init(_ jpeg: [UInt8]) throws(ImagingError) {
        let (decoded, photo) = try JPEGDecoder.decodePlanar(jpeg, covering: Self.largeSide)
        large = decoded.luma.fitted(maxSide: Self.largeSide, proportions: photo)
        small = large.fitted(maxSide: Self.smallSide)
        thumbnail = small.fitted(maxSide: Self.thumbnailSide)
        blue = decoded.blue
        red = decoded.red
        profile = Self.colourProfile(of: jpeg)
    }

    /// The brightness, not rotated, in the smallest size that is at least the target's on both the longer and the shorter side, or the
    /// largest.
    public func luma(covering target: (width: Int, height: Int)) -> GrayImage {
        let (long, short) = (max(target.width, target.height), min(target.width, target.height))
        let covering = [thumbnail, small].first { max($0.width, $0.height) >= long && min($0.width, $0.height) >= short }
        return covering ?? large
    }

    /// A JPEG file and its size in pixels.
    public struct Picture: Sendable {
        public let jpeg: [UInt8]
        public let width: Int
        public let height: Int
    }

    /// A copy by its size.
    public enum Size: CaseIterable, Sendable { case large, small, thumbnail }

    /// Makes upright copies, with longer sides of at most ``largeSide``, ``smallSide`` and ``thumbnailSide``. The files are within their
    /// size limits unless the photo is noise.
    ///
    /// - Parameters:
    ///   - orientation: EXIF orientation of the photo, 1...8, which is applied.
    ///   - take: gets each copy as soon as it is made, on two threads: the large one, and the small one before the thumbnail. There is no
    ///     large one if the small one has all pixels of the photo.
    /// - Throws: ``ImagingError`` `encodingFailed`.
    public func makeCopies(orientation: Int, _ take: @Sendable (Size, Picture) -> Void) throws(ImagingError) {
        // Each from the next larger one.
        let large = PlanarImage(luma: large, anyBlue: blue, anyRed: red)
        let failures = Mutex<ImagingError?>(nil)
        DispatchQueue.concurrentPerform(iterations: 2) { half in
            do throws(ImagingError) {
                if half == 0 {
                    guard max(large.width, large.height) > Self.smallSide else { return }
                    take(.large, try picture(large.oriented(orientation), within: Self.maximumLargeBytes))
                } else {
                    let small = PlanarImage(luma: small, anyBlue: large.blue, anyRed: large.red)
                    take(.small, try picture(small.oriented(orientation), within: Self.maximumSmallBytes))
                    let thumbnail = PlanarImage(luma: thumbnail, anyBlue: small.blue, anyRed: small.red)
                    take(.thumbnail, try picture(thumbnail.oriented(orientation), within: Self.maximumThumbnailBytes))
                }
            } catch {
                failures.withLock { $0 = error }
            }
        }
        if let failure = failures.withLock({ $0 }) { throw failure }
    }

    private func picture(_ image: PlanarImage, within limit: Int) throws(ImagingError) -> Picture {
        Picture(jpeg: try Self.encode(image, within: limit, profile), width: image.width, height: image.height)
    }

    private static func encode(_ image: PlanarImage, within limit: Int, _ profile: [UInt8]) throws(ImagingError) -> [UInt8] {
        let room = limit - profile.count
        var jpeg = try JPEGEncoder.encode(image, quality: bestQuality)
        let best = Double(jpeg.count)
        for (index, candidate) in lowerQualities.enumerated() where jpeg.count > room {
            // Skip qualities that are certain to give too large a file; accept the last in any case.
            guard best * candidate.share <= Double(room) * 1.05 || index == lowerQualities.count - 1 else { continue }
            jpeg = try JPEGEncoder.encode(image, quality: candidate.quality)
        }
        // libjpeg writes SOI and an APP0 of 16 bytes; a profile may follow (ICC.1 annex B.4).
        let head = 20
        guard !profile.isEmpty, jpeg.count > head, jpeg[3] == 0xe0, jpeg[4] == 0, jpeg[5] == 16 else { return jpeg }
        return Array(jpeg[..<head]) + profile + jpeg[head...]
    }

    /// The APP2 segment of a colour profile that fits one segment; empty if there is none. Without it a phone's wide-gamut colours would
    /// look dull.
    private static func colourProfile(of jpeg: [UInt8]) -> [UInt8] {
        guard jpeg.count >= 4, jpeg[0] == 0xff, jpeg[1] == 0xd8 else { return [] }
        var walker = JPEGMarkerWalker(jpeg)
        let name = Array("ICC_PROFILE\0".utf8)
        while let segment = walker.next() {
            let payload = jpeg[segment.payload]
            guard segment.marker == 0xe2, payload.starts(with: name) else { continue }
            // Part 1 of 1.
            guard payload.count > 14, payload.count <= maximumProfileBytes, payload.dropFirst(12).prefix(2) == [1, 1] else { return [] }
            return [0xff, 0xe2] + jpeg[segment.body]
        }
        return []
    }
}
