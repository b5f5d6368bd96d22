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

    private static func slantedPlane(width: Int, height: Int) -> [UInt8] {
        map(width: width, height: height) { x, y in 1 + Float(x) / 100 + Float(y) / 200 }
    }

    /// Metres as 32-bit floats, little-endian.
    static func map(width: Int, height: Int, _ metres: (_ x: Int, _ y: Int) -> Float) -> [UInt8] {
        (0..<width * height).flatMap { place in
            withUnsafeBytes(of: metres(place % width, place / width).bitPattern.littleEndian, Array.init)
        }
    }
}

/// A scene that no rotation leaves as it is: a depth map of 64 × 48 as the sensor lies, and a photo of 480 × 640 without EXIF data that was
/// stored upright, a quarter turn clockwise or counterclockwise from the map.
struct TurnedScene {
    let isClockwise: Bool

    /// - Parameters: column and row as shares of the map's width and height.
    private func metres(_ x: Double, _ y: Double) -> Double {
        if x > 0.1 && x < 0.4 && y > 0.15 && y < 0.55 { return 1 }
        return x > 0.65 && x < 0.75 && y > 0.6 && y < 0.95 ? 1.6 : 2.5
    }

    var depth: [UInt8] {
        DepthSample.map(width: 64, height: 48) { x, y in Float(metres(Double(x) / 64, Double(y) / 48)) }
    }

    func photo() throws -> [UInt8] {
        let pixels = (0..<480 * 640).flatMap { place in
            let (column, row) = (Double(place % 480) / 480, Double(place / 480) / 640)
            let level = UInt8(80 * (isClockwise ? metres(row, 1 - column) : metres(1 - row, column)))
            return [level, level, level]
        }
        return try JPEGEncoder.encode(RGBImage(width: 480, height: 640, pixels: pixels), quality: 90)
    }
}
