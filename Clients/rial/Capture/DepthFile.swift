import CaptureKit
import CaptureProtocol
import Compression
import Depth
import Foundation
import RialClient

/// A depth map in a file: raw little-endian float32 (`.f32`), or already compressed.
struct DepthFile {
    let url: URL
    let width: Int
    let height: Int

    /// - Throws: ``CommandFailure`` for sides outside 1…1024.
    init(url: URL, width: Int, height: Int) throws {
        let sides = CaptureMetadata.depthSides
        guard sides.contains(width), sides.contains(height) else {
            throw CommandFailure("A depth map is 1 to \(sides.upperBound) values wide and high, not \(width) × \(height).")
        }
        self.url = url
        self.width = width
        self.height = height
    }

    /// The compressed depth part.
    /// - Throws: ``CommandFailure`` if the file's size is wrong, without reading it.
    func content() throws -> PartContent {
        let file = try PartContent.file(at: url)
        guard url.pathExtension.lowercased() == "f32" else {
            guard file.sizeBytes > 0, file.sizeBytes <= Int64(SizeLimits.capture) else {
                throw CommandFailure(
                    "\(url.path) has \(file.sizeBytes) bytes; a compressed depth map has 1 byte to \(SizeLimits.capture >> 20) MiB.")
            }
            return file
        }
        return .bytes(try Deflate.compress(try uncompressed()))
    }

    /// Little-endian float32 values, row by row.
    /// - Throws: ``CommandFailure`` if the file is not a map of this size.
    func values() throws -> [UInt8] {
        guard url.pathExtension.lowercased() != "f32" else { return try uncompressed() }
        guard case .source(let source) = try content(), let data = FileManager.default.contents(atPath: url.path),
            data.count == source.sizeBytes
        else { throw CommandFailure("\(url.path) cannot be read.") }
        return try map(of: Array(data)).metres.flatMap { metres in
            withUnsafeBytes(of: metres.bitPattern.littleEndian, Array.init)
        }
    }

    /// - Throws: ``CommandFailure`` if the file is not a map of this size.
    func map() throws -> DepthMap { try map(of: Deflate.compress(try values())) }

    private func map(of compressed: [UInt8]) throws -> DepthMap {
        do {
            return try DepthMapDecoder.decode(compressed, width: width, height: height)
        } catch {
            throw CommandFailure("\(url.path) is not a depth map of \(width) × \(height): \(error)")
        }
    }

    /// - Throws: ``CommandFailure`` if the file's size is wrong, without reading it.
    private func uncompressed() throws -> [UInt8] {
        let file = try PartContent.file(at: url)
        let expected = Int64(width * height * 4)
        guard file.sizeBytes == expected else {
            throw CommandFailure("\(url.path) has \(file.sizeBytes) bytes; \(width) × \(height) float32 values are \(expected).")
        }
        guard let handle = try? FileHandle(forReadingFrom: url), let data = try? handle.read(upToCount: Int(expected)),
            data.count == expected
        else { throw CommandFailure("\(url.path) cannot be read.") }
        return Array(data)
    }
}
