import Testing

@testable import Imaging

@Suite("JPEG encoding of pixels in another program's memory")
struct JPEGEncoderTests {
    private static let (width, height) = (37, 23)

    /// Blue, green, red and a byte that is ignored; rows are padded to a stride.
    private static func bgrx(_ rgb: [UInt8], stride: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let pixel = (y * width + x) * 3
                bytes += [rgb[pixel + 2], rgb[pixel + 1], rgb[pixel], 0xAA]
            }
            bytes += Array(repeating: 0x55, count: stride - width * 4)
        }
        return bytes
    }

    @Test("gives the same file as of the same picture in RGB, whatever pads its rows", arguments: [148, 160, 296])
    func sameFile(stride: Int) throws {
        var rgb: [UInt8] = []
        for index in 0..<Self.width * Self.height { rgb += [UInt8(index % 251), UInt8(index % 37 * 5), UInt8(index / 37 * 9)] }
        let expected = try JPEGEncoder.encode(RGBImage(width: Self.width, height: Self.height, pixels: rgb), quality: 85)
        let bytes = Self.bgrx(rgb, stride: stride)
        let encoded = try encode(bytes, stride: stride)
        #expect(encoded == expected)
    }

    @Test("is refused where the rows do not fit into the memory", arguments: [(148, -1), (147, 0), (0, 0), (Int.max, 0)])
    func refused(stride: Int, more: Int) {
        let bytes = [UInt8](repeating: 0, count: 148 * Self.height + more)
        let error = #expect(throws: ImagingError.self) { try encode(bytes, stride: stride) }
        #expect(error?.code == .invalidArgument)
    }

    /// Typed throws do not pass through the closure.
    private func encode(_ bytes: [UInt8], stride: Int) throws -> [UInt8] {
        try bytes.withUnsafeBytes { bytes in
            try JPEGEncoder.encode(bgrx: bytes, width: Self.width, height: Self.height, stride: stride, quality: 85)
        }
    }
}
