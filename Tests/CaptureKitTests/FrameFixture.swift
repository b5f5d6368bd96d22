import CaptureKit
import CaptureProtocol
import Foundation

@testable import JPEGMetadata

/// A frame of a camera that writes more into its photos than it should.
enum FrameFixture {
    static let capturedAt = Date(timeIntervalSince1970: 1_790_000_000.257)
    static let lisbon = PreciseLocation(latitude: 38.707_751, longitude: -9.136_592, altitude: 12.34, accuracy: 4.5)

    static func frame(
        jpeg: [UInt8] = revealingPhoto, depth: DepthPlane? = plane(width: 4, height: 3), thumbnail: [UInt8]? = nil
    ) -> CapturedFrame {
        CapturedFrame(jpeg: jpeg, depth: depth, capturedAt: capturedAt, orientation: .right, thumbnail: thumbnail)
    }

    static func plane(width: Int, height: Int) -> DepthPlane? {
        try? DepthPlane(bytes: bytes((0..<width * height).map { Float32($0) / 8 }), width: width, height: height)
    }

    /// Little-endian float32, as in the memory of all machines that this runs on.
    static func bytes(_ values: [Float32]) -> [UInt8] {
        values.withUnsafeBytes { source in
            [UInt8](unsafeUninitializedCapacity: source.count) { target, count in
                UnsafeMutableRawBufferPointer(target).copyMemory(from: source)
                count = source.count
            }
        }
    }

    /// A baseline JPEG of 16 × 8 grey pixels from its frame header on; the scan data are made up.
    static let picture: [UInt8] =
        segment(0xdb, [0] + [UInt8](repeating: 1, count: 64)) + segment(0xc0, [8, 0, 8, 0, 16, 1, 1, 0x11, 0])
        + segment(0xc4, [0, 1] + [UInt8](repeating: 0, count: 15) + [0]) + segment(0xda, [1, 1, 0, 0, 63, 0])
        + [0x55, 0xff, 0x00, 0x2a, 0xff, 0xd0, 0x17, 0xff, 0xd9]

    /// With JFIF header, an exposure time, and "SECRET" places in EXIF, maker note, XMP, IPTC and a comment.
    static let revealingPhoto: [UInt8] = {
        var exif = EXIFDirectories()
        exif.main.ascii(0x010f, "Some Camera")
        exif.main.ascii(0x013b, "SECRET artist")
        exif.photo.rational(0x829a, [(1, 60)])
        exif.photo.undefined(0x927c, Array("Apple iOS\0 SECRET".utf8))
        exif.photo.ascii(0xa434, "back triple camera")
        exif.place.ascii(0x0001, "S")
        exif.place.rational(0x0002, [(33, 1), (51, 1), (2447, 100)])
        exif.place.ascii(0x001c, "SECRET area")
        let jfif = segment(0xe0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])
        let written = (try? exif.segment()) ?? []
        let xmp = segment(0xe1, Array("http://ns.adobe.com/xap/1.0/\0<x exif:GPSLatitude='SECRET'/>".utf8))
        let iptc = segment(0xed, Array("Photoshop 3.0\08BIM SECRET".utf8))
        return [0xff, 0xd8] + jfif + written + xmp + iptc + segment(0xfe, Array("SECRET".utf8)) + picture + Array("SECRET trailer".utf8)
    }()

    /// The revealing photo with so many more bytes in its scan.
    static func photo(scanBytes: Int) -> [UInt8] {
        let end = revealingPhoto.firstRange(of: [0x17, 0xff, 0xd9])?.lowerBound ?? revealingPhoto.count
        return revealingPhoto[..<end] + [UInt8](repeating: 0x17, count: scanBytes) + revealingPhoto[end...]
    }

    private static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0xff, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 0xff)] + payload
    }
}
