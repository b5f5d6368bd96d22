import CaptureKit
import Foundation
import Testing

@Suite("Depth plane")
struct DepthPlaneTests {
    /// Copies from memory whose padding has a value that must not appear.
    private func plane(_ values: [Float32], width: Int, height: Int, bytesPerRow: Int, last: Int? = nil) throws -> DepthPlane {
        var memory = [UInt8](repeating: 0xee, count: bytesPerRow * (height - 1) + (last ?? bytesPerRow))
        for row in 0..<height {
            let start = row * bytesPerRow
            memory.replaceSubrange(start..<start + width * 4, with: FrameFixture.bytes(Array(values[row * width..<(row + 1) * width])))
        }
        return try memory.withUnsafeBytes { try DepthPlane(copying: $0, bytesPerRow: bytesPerRow, width: width, height: height) }
    }

    private func error(count: Int, bytesPerRow: Int, width: Int, height: Int) -> DepthPlaneError? {
        let memory = [UInt8](repeating: 0, count: count)
        return memory.withUnsafeBytes { bytes in
            do throws(DepthPlaneError) {
                _ = try DepthPlane(copying: bytes, bytesPerRow: bytesPerRow, width: width, height: height)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test(
        "leaves out what pads its rows",
        arguments: [
            (1, 1, 4), (1, 1, 64), (256, 192, 1024), (256, 192, 1088), (255, 3, 1024), (3, 5, 13), (1024, 1024, 4096), (1024, 1024, 4160),
            (1, 1024, 16), (1024, 1, 4096),
        ])
    func padding(width: Int, height: Int, bytesPerRow: Int) throws {
        var values = [Float32](repeating: 0.5, count: width * height)
        for row in 0..<height { values[row * width] = Float32(row) }
        let plane = try plane(values, width: width, height: height, bytesPerRow: bytesPerRow)
        #expect(plane.bytes == FrameFixture.bytes(values))
        #expect(plane.width == width && plane.height == height)
    }

    @Test("needs no padding after its last row")
    func lastRow() throws {
        let values: [Float32] = [1, 2, 3, 4, 5, 6]
        #expect(try plane(values, width: 3, height: 2, bytesPerRow: 64, last: 12).bytes == FrameFixture.bytes(values))
        #expect(error(count: 64 + 11, bytesPerRow: 64, width: 3, height: 2) == .wrongLength(bytes: 75))
    }

    @Test("keeps every bit of values that are no numbers")
    func oddValues() throws {
        let values: [Float32] = [
            .nan, .signalingNaN, Float32(bitPattern: 0xffc0_0001), .infinity, -.infinity, -0.0, .leastNonzeroMagnitude,
            .greatestFiniteMagnitude,
        ]
        let copy = try plane(values, width: 4, height: 2, bytesPerRow: 32).bytes
        #expect(copy == FrameFixture.bytes(values))
    }

    @Test(
        "refuses sizes beyond 1 to 1024",
        arguments: [(0, 1), (1, 0), (-1, 1), (1, -1), (1025, 1), (1, 1025), (Int.max, Int.max), (Int.min, Int.min)])
    func sizes(width: Int, height: Int) {
        #expect(error(count: 8192, bytesPerRow: 4096, width: width, height: height) == .sizeOutOfRange(width: width, height: height))
        #expect(throws: DepthPlaneError.sizeOutOfRange(width: width, height: height)) {
            try DepthPlane(bytes: [0, 0, 0, 0], width: width, height: height)
        }
    }

    @Test("refuses rows that overlap", arguments: [15, 0, -16, Int.min])
    func rows(bytesPerRow: Int) {
        #expect(error(count: 4096, bytesPerRow: bytesPerRow, width: 4, height: 3) == .rowsTooShort(bytesPerRow: bytesPerRow))
    }

    @Test("refuses less memory than its rows need", arguments: [(0, 16), (15, 16), (47, 16), (48, 17), (4096, Int.max), (4096, 1 << 62)])
    func memory(count: Int, bytesPerRow: Int) {
        #expect(error(count: count, bytesPerRow: bytesPerRow, width: 4, height: 3) == .wrongLength(bytes: count))
    }

    @Test("refuses tight bytes of another length", arguments: [0, 47, 49])
    func tight(count: Int) {
        #expect(throws: DepthPlaneError.wrongLength(bytes: count)) {
            try DepthPlane(bytes: [UInt8](repeating: 0, count: count), width: 4, height: 3)
        }
    }
}
