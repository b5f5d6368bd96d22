import Blocking
import CaptureProtocol
import MediaStore
import Models
import ObjectStorage

/// A signed copy that is not stored yet.
struct UnstoredCopy: Sendable {
    enum Copy {
        case memory([UInt8], PixelSize?)
        case file(NamelessFile)
    }

    let manifestID: String
    let manifest: [UInt8]
    let hasTimestamp: Bool
    let copy: Copy

    func store(in storage: any ObjectStore, of capture: CaptureID) async throws -> StoredMedia {
        switch copy {
        case .memory(let bytes, let pixels):
            try await storage.storeDerived(bytes, named: .signedCopy, of: capture, pixels: pixels)
        case .file(let file):
            try await storage.storeDerived(try file.size(), named: .signedVideo, of: capture) { try file.bytes($0) }
        }
    }
}
