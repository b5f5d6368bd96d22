import CaptureProtocol
import Crypto
import Depth
import Models
import NIOCore

/// The parts of a photo capture as they come (SPEC §2).
struct PhotoParts: CaptureParts {
    static let bodyLimit = SizeLimits.capture
    static let collected = CollectedParts.limits

    /// The parts that have come.
    struct Received: Sendable {
        var photo: StoredMedia?
        var depth: StoredMedia?
        /// SHA-256 of the photo followed by the depth part; `nil` if the depth part came first.
        var photoThenDepth: ContentDigest?
        /// Size of the inflated depth map in bytes; `nil` if it cannot be inflated.
        var depthBytes: Int?
        var isJPEG = false
        var small = CollectedParts()
    }

    private(set) var received = Received()
    private var head: [UInt8] = []
    /// Has hashed the photo, once it is stored.
    private var photoHasher: SHA256?
    /// Over photo then depth, if the depth part comes after the photo.
    private var continued: SHA256?
    private let inspection = DepthInspection()

    static func object(of part: UploadPart) -> MediaName? {
        switch part {
        case .photo: .original
        case .depthMap: .depth
        default: nil
        }
    }

    mutating func begin(_ name: MediaName) {
        if name == .depth { continued = photoHasher }
    }

    mutating func inspect(_ bytes: ByteBuffer, of name: MediaName) {
        if name == .original {
            head += bytes.readableBytesView.prefix(3 - head.count)
        } else {
            bytes.withUnsafeReadableBytes { continued?.update(bufferPointer: $0) }
            inspection.update(bytes)
        }
    }

    mutating func end(_ object: StoredMedia, _ name: MediaName, hasher: SHA256) {
        if name == .original {
            received.photo = object
            photoHasher = hasher
            received.isJPEG = head == [0xff, 0xd8, 0xff]
        } else {
            received.depth = object
            received.depthBytes = inspection.finish()
            received.photoThenDepth = continued.map { ContentDigest($0.finalize()) }
        }
    }

    mutating func collect(_ bytes: [UInt8]?, of part: UploadPart) { received.small.collect(bytes, of: part) }
}

/// An inspector that is dropped when it refuses the stream.
///
/// `@unchecked Sendable`: only the intake that owns the parts calls it, one call at a time.
private final class DepthInspection: @unchecked Sendable {
    private var inspector: DepthStreamInspector? = DepthStreamInspector()

    func update(_ bytes: ByteBuffer) {
        do { try inspector?.update(bytes.readableBytesView) } catch { inspector = nil }
    }

    func finish() -> Int? { inspector.flatMap { try? $0.finish() } }
}
