import CaptureProtocol
import Foundation
import Imaging
import Models

@testable import ShareCard

/// Synthetic cards and photos.
enum Cards {
    /// 22 November 2025, 10:30:04 UTC.
    static let time = Date(timeIntervalSince1970: 1_763_807_404)
    static let hasFonts = CardFonts.debian.neededFiles.allSatisfy(FileManager.default.fileExists)

    static func content(
        _ level: ConfidenceLevel? = .high, isDevelopment: Bool = false, place: String? = "Lyon, France"
    ) -> ShareCardContent {
        ShareCardContent(subject: .photo, level: level, isDevelopment: isDevelopment, capturedAt: .exact(time), placeName: place)
    }

    /// A JPEG of a single colour.
    static func photo(_ colour: [UInt8] = [200, 30, 30], width: Int = 400, height: Int = 300) throws -> [UInt8] {
        let pixels = Array(repeatElement(colour, count: width * height).joined())
        return try JPEGEncoder.encode(try RGBImage(width: width, height: height, pixels: pixels), quality: 95)
    }

    /// A picture of four quarters, each of another colour.
    static func quarters(width: Int, height: Int) throws -> RGBImage {
        func row(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] { (0..<width).flatMap { $0 < width / 2 ? left : right } }
        let (upper, lower) = (row([200, 30, 30], [30, 200, 30]), row([30, 30, 200], [200, 200, 30]))
        var pixels: [UInt8] = []
        for y in 0..<height { pixels += y < height / 2 ? upper : lower }
        return try RGBImage(width: width, height: height, pixels: pixels)
    }

    /// The same file with an EXIF orientation.
    static func oriented(_ jpeg: [UInt8], _ orientation: UInt8) -> [UInt8] {
        let tiff: [UInt8] = Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
        let exif = Array("Exif\0\0".utf8) + tiff
        let head: [UInt8] = [0xff, 0xd8, 0xff, 0xe1, 0, UInt8(exif.count + 2)]
        return head + exif + jpeg[2...]
    }

    static func picture(_ content: ShareCardContent, photo: [UInt8]? = nil) throws -> RGBImage {
        try JPEGDecoder.decodeRGB(try ShareCardRenderer.render(content, photo: photo), fitting: ShareCardSize.width)
    }
}

extension RGBImage {
    /// Whether a pixel has approximately this colour.
    func shows(_ rgb: UInt32, x: Int, y: Int) -> Bool {
        let offset = (y * width + x) * 3
        let wanted = [Int(rgb >> 16 & 255), Int(rgb >> 8 & 255), Int(rgb & 255)]
        return zip(pixels[offset..<offset + 3], wanted).allSatisfy { abs(Int($0) - $1) < 24 }
    }

    /// Brightness, 0...255.
    func luma(x: Int, y: Int) -> Int {
        let offset = (y * width + x) * 3
        return (Int(pixels[offset]) * 299 + Int(pixels[offset + 1]) * 587 + Int(pixels[offset + 2]) * 114) / 1000
    }

    /// The number of pixels in an area that do not have approximately this colour.
    func count(in columns: Range<Int>, _ rows: Range<Int>, but rgb: UInt32) -> Int {
        rows.reduce(0) { sum, y in sum + columns.count { !shows(rgb, x: $0, y: y) } }
    }
}
