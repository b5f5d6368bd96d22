import CaptureKit
import Foundation
import Scene

/// One rendered room, with a different photo for every capture.
struct LoadSource: Sendable {
    private let jpeg: [UInt8]
    private let depth: [UInt8]
    private let depthWidth: Int
    private let depthHeight: Int
    /// The offset at which a segment can be inserted: after SOI and the APP segments.
    private let insertion: Int

    var sizeBytes: Int { jpeg.count + depth.count }

    init(size: LoadSize) throws {
        var options = SceneOptions(capturedAt: Date())
        options.photoSize = size.photo
        let scene = try SceneRenderer.render(.room, seed: 1, options: options)
        jpeg = scene.jpeg
        depth = try scene.depthGzip()
        depthWidth = scene.depthWidth
        depthHeight = scene.depthHeight
        insertion = Self.endOfApplicationSegments(scene.jpeg)
    }

    /// - Parameter number: the capture's number in this run.
    func draft(_ number: Int) -> CaptureDraft {
        CaptureDraft(
            photo: .bytes(photo(comment: "\(number) \(UUID().uuidString)")), depthMap: .bytes(depth), depthWidth: depthWidth,
            depthHeight: depthHeight, capturedAt: Date(), location: nil)
    }

    /// The photo with a comment segment (ITU-T T.81 §B.2.4.5): other bytes, the same picture.
    private func photo(comment: String) -> [UInt8] {
        let text = Array(comment.utf8.prefix(1000))
        let length = text.count + 2
        let segment = [0xFF, 0xFE, UInt8(length >> 8), UInt8(length & 255)] + text
        return Array(jpeg[..<insertion]) + segment + jpeg[insertion...]
    }

    static func endOfApplicationSegments(_ jpeg: [UInt8]) -> Int {
        var offset = min(2, jpeg.count)
        while offset + 4 <= jpeg.count, jpeg[offset] == 0xFF, (0xE0...0xEF).contains(jpeg[offset + 1]) {
            let next = offset + 2 + (Int(jpeg[offset + 2]) << 8 | Int(jpeg[offset + 3]))
            guard next <= jpeg.count else { break }
            offset = next
        }
        return offset
    }
}
