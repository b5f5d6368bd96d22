import Foundation
import Models
import Testing

@Suite("Media formats")
struct MediaFormatTests {
    private static func ftyp(_ major: String, _ compatible: [String] = []) -> [UInt8] {
        let size = UInt8(16 + 4 * compatible.count)
        return [0, 0, 0, size] + Array("ftyp".utf8) + Array(major.utf8) + [0, 0, 0, 0] + compatible.flatMap { Array($0.utf8) }
    }

    @Test(
        "are told by their first bytes",
        arguments: [
            ([0xff, 0xd8, 0xff, 0xe0], MediaFormat.jpeg), ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], .png),
            (Array("RIFF\0\0\0\0WEBP".utf8), .webp), ([0x49, 0x49, 0x2a, 0x00], .tiff), ([0x4d, 0x4d, 0x00, 0x2a], .tiff),
            (ftyp("heic"), .heic), (ftyp("mif1", ["mif1", "heic"]), .heic), (ftyp("mif1", ["avif"]), .avif), (ftyp("mif1"), .heif),
            (ftyp("avif"), .avif), (ftyp("isom"), .mp4), (ftyp("mp42"), .mp4), (ftyp("qt  "), .mov),
            ([0, 0, 0, 8] + Array("wide".utf8), .mov), ([0, 0, 0x31, 0] + Array("jumb".utf8), .manifest),
        ])
    func known(prefix: [UInt8], format: MediaFormat) { #expect(MediaFormat.sniff(prefix) == format) }

    @Test(
        "are unknown for anything else, however short",
        arguments: [
            [], [0xff], [0xff, 0xd8], Array("RIFF\0\0\0\0WAVE".utf8), Array("GIF89a".utf8), Array("%PDF-1.7".utf8), Array("<svg".utf8),
            [0, 0, 0, 8] + Array("ftyp".utf8), [0, 0, 0, 8] + Array("ftyphe".utf8),
        ])
    func unknown(prefix: [UInt8]) { #expect(MediaFormat.sniff(prefix) == nil) }

    @Test("of video are MP4 and MOV alone")
    func video() { #expect(MediaFormat.allCases.filter(\.isVideo) == [.mp4, .mov]) }
}
