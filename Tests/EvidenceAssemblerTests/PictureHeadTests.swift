import Models
import Testing

@testable import EvidenceAssembler

@Suite("Pictures of before sizes were kept")
struct PictureHeadTests {
    private static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 3, 0, 0, 0, 2, 0x40]
    /// A baseline frame of 4032 × 3024, start of scan.
    private static let frame: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 0x0B, 0xD0, 0x0F, 0xC0, 1, 1, 0x11, 0, 0xFF, 0xDA, 0, 2]

    @Test("are measured upright from their first bytes")
    func sizes() {
        #expect(PictureHead.size(Self.png) == PixelSize(768, 576))
        #expect(PictureHead.size([0xFF, 0xD8] + Self.frame) == PixelSize(4032, 3024))
        // EXIF with orientation 6.
        let tiff: [UInt8] = Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
        let exif = Array("Exif\0\0".utf8) + tiff
        #expect(PictureHead.size([0xFF, 0xD8, 0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + Self.frame) == PixelSize(3024, 4032))
    }

    @Test(
        "have no size where they are none, or cut off",
        arguments: [[], [0xFF, 0xD8], Array("GIF89a".utf8), Array(png.dropLast())] as [[UInt8]])
    func none(head: [UInt8]) {
        #expect(PictureHead.size(head) == nil)
    }
}
