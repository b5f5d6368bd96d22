import CaptureProtocol
import Compression
import Foundation
import Imaging
import Models
import ObjectStorage
import TestSupport

/// A photo with a slanted plane as its depth, its bytes in the store under the keys of an upload.
struct DepthSample {
    private static let photo = Result { try JPEGEncoder.encode(picture(width: 900, height: 600), quality: 85) }
    private static let depth = Result { try Deflate.compress(slantedPlane(width: 64, height: 48)) }

    let announcement: CaptureAnnouncement

    /// - Parameters:
    ///   - photo: replaces the one that can be decoded.
    ///   - depth: replaces the plane.
    init(in store: MemoryObjectStore, photo: [UInt8]? = nil, depth: [UInt8]? = nil) async throws {
        let (photo, depth) = (try photo ?? Self.photo.get(), try depth ?? Self.depth.get())
        let id = CaptureID()
        func media(_ name: MediaName, _ bytes: [UInt8]) -> StoredMedia {
            StoredMedia(
                key: name.key(of: id), sha256: ContentDigest(of: bytes), sizeBytes: Int64(bytes.count), contentType: name.contentType)
        }
        let content = PhotoContent(
            photo: media(.original, photo), depth: media(.depth, depth), photoThenDepth: nil, depthWidth: 64, depthHeight: 48)
        try await store.put(content.photo.key, bytes: photo, contentType: "image/jpeg")
        try await store.put(content.depth.key, bytes: depth, contentType: "application/octet-stream")
        announcement = CaptureAnnouncement(
            captureID: id, deviceID: DeviceID(), content: .photo(content), metadata: Array("{}".utf8), assertion: nil,
            receivedAt: Date(timeIntervalSince1970: 1_795_240_800))
    }

    private static func picture(width: Int, height: Int) throws -> RGBImage {
        var row: [UInt8] = []
        for x in 0..<width { row += [UInt8(x * 200 / width), 120, 60] }
        var pixels: [UInt8] = []
        for _ in 0..<height { pixels += row }
        return try RGBImage(width: width, height: height, pixels: pixels)
    }

    /// Metres as 32-bit floats, little-endian.
    private static func slantedPlane(width: Int, height: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let depth = 1 + Float(x) / 100 + Float(y) / 200
                withUnsafeBytes(of: depth.bitPattern.littleEndian) { bytes += $0 }
            }
        }
        return bytes
    }
}
