import CaptureProtocol
import Crypto
import Depth
import Foundation
import Models
import Multipart
import NIOCore
import ObjectStorage
import Observability

/// The parts of a completely read multipart body; photo and depth are stored under their final keys.
struct ReceivedBody: Sendable {
    var photo: StoredMedia?
    var depth: StoredMedia?
    var photoThenDepth: ContentDigest?
    /// Size of the inflated depth map in bytes; `nil` if it cannot be inflated.
    var depthBytes: Int?
    var isJPEG = false
    var metadata: [UInt8]?
    var assertion: [UInt8]?
    var detection: [UInt8]?
    /// Names of small parts over their size limit.
    var oversized: Set<String> = []
}

/// Streams a capture's multipart body: hashes the whole body and each part, and streams photo and depth to the store.
///
/// Buffers at most a few MiB. Fails if the body is too large or malformed; ``discard()`` then deletes what was stored. A row in `intakes`
/// names the upload before its first byte is stored.
actor BodyIntake {
    private static let known: Set<String> = ["photo", "depth_map", "metadata", "assertion", "detection"]

    private let storage: S3Client
    private let intakes: IntakeRepository
    private let capture: CaptureID
    private let device: DeviceID
    private var isOpen = false
    private var parser: MultipartParser
    private var bodyHasher = SHA256()
    private var size = 0
    private var received = ReceivedBody()
    private var seen: Set<String> = []
    private var part: PartInProgress?
    private var photoHasher: SHA256?
    private var upload: S3Upload?
    private var stored: [String] = []

    private struct PartInProgress {
        let name: String
        let contentType: String?
        var hasher = SHA256()
        /// Over photo then depth, if the depth part comes after the photo.
        var continued: SHA256?
        var size: Int64 = 0
        var bytes: [UInt8] = []
        var inspector: DepthStreamInspector?
    }

    init(storage: S3Client, intakes: IntakeRepository, capture: CaptureID, device: DeviceID, boundary: MultipartBoundary) {
        self.storage = storage
        self.intakes = intakes
        self.capture = capture
        self.device = device
        parser = MultipartParser(boundary: boundary)
    }

    /// Reads the body to its end.
    /// - Returns: its parts, and the digest of the whole body.
    /// - Throws: ``CaptureError`` and `MultipartError` for client errors; storage errors unchanged.
    func read(_ body: some AsyncSequence<ByteBuffer, any Error> & Sendable) async throws -> (ReceivedBody, ContentDigest) {
        for try await chunk in body {
            size += chunk.readableBytes
            guard size <= SizeLimits.capture else { throw CaptureError.tooLarge }
            chunk.withUnsafeReadableBytes { bodyHasher.update(bufferPointer: $0) }
            var events: [MultipartParser.Event] = []
            try parser.feed(Array(chunk.readableBytesView)) { events.append($0) }
            for event in events { try await handle(event) }
        }
        try parser.finish()
        return (received, ContentDigest(bodyHasher.finalize()))
    }

    /// Deletes the stored objects and aborts an upload in progress. Call it only if no transaction can have recorded the capture.
    func discard() async {
        let isEnded = await upload?.abort() ?? true
        upload = nil
        guard isOpen else { return }
        do {
            try await storage.delete(stored + [MediaName.metadata.key(of: capture)])
            if isEnded { try await intakes.forget(capture) }
        } catch {
            // The row stays, and its objects are swept after a day.
        }
    }

    /// Records the intake before its first object is stored.
    private func open() async throws {
        guard !isOpen else { return }
        // Set even if the call fails: the row may exist although the response was lost.
        isOpen = true
        try await intakes.open(capture, device: device)
        FailPoint.reached("gateway.capture.opened")
    }

    /// Stores the metadata unchanged beside the media.
    func keepMetadata(_ bytes: [UInt8]) async throws {
        try await storage.put(MediaName.metadata.key(of: capture), bytes: bytes, contentType: MediaName.metadata.contentType)
    }

    private func handle(_ event: MultipartParser.Event) async throws {
        switch event {
        case .partBegan(let headers): try await begin(headers)
        case .partData(let data): try await take(data)
        case .partEnded: try await end()
        }
    }

    private func begin(_ headers: PartHeaders) async throws {
        guard seen.insert(headers.name).inserted else { throw CaptureError.invalid(String(headers.name.prefix(100)), "appears twice") }
        var part = PartInProgress(name: headers.name, contentType: headers.contentType)
        switch headers.name {
        case "photo":
            try await open()
            upload = putStream(.original)
        case "depth_map":
            try await open()
            upload = putStream(.depth)
            part.inspector = DepthStreamInspector()
            part.continued = photoHasher
        default: break
        }
        self.part = part
    }

    private func take(_ data: ArraySlice<UInt8>) async throws {
        guard var current = part else { return }
        part = nil
        current.size += Int64(data.count)
        switch current.name {
        case "photo", "depth_map":
            if current.name == "photo", current.size <= Int64(data.count) + 2, current.bytes.count < 3 {
                current.bytes.append(contentsOf: data.prefix(3 - current.bytes.count))
            }
            data.withUnsafeBytes { bytes in
                current.hasher.update(bufferPointer: bytes)
                current.continued?.update(bufferPointer: bytes)
            }
            if let inspector = current.inspector {
                do { try inspector.update(data) } catch { current.inspector = nil }
            }
            try await upload?.write(ByteBuffer(bytes: data))
        default:
            guard current.size <= Int64(SizeLimits.unknownPart) else {
                guard Self.known.contains(current.name) else {
                    throw CaptureError.invalid(
                        String(current.name.prefix(100)), "is unknown and larger than \(SizeLimits.unknownPart >> 10) kB")
                }
                received.oversized.insert(current.name)
                current.bytes = []
                break
            }
            if Self.known.contains(current.name) { current.bytes.append(contentsOf: data) }
        }
        part = current
    }

    private func end() async throws {
        guard let current = part else { return }
        part = nil
        switch current.name {
        case "photo":
            received.photo = try await finish(current, as: .original)
            received.isJPEG = current.bytes.starts(with: [0xff, 0xd8, 0xff])
            photoHasher = current.hasher
        case "depth_map":
            received.depth = try await finish(current, as: .depth)
            received.depthBytes = current.inspector.flatMap { try? $0.finish() }
            received.photoThenDepth = current.continued.map { ContentDigest($0.finalize()) }
        case "metadata": received.metadata = current.bytes
        case "assertion": received.assertion = current.bytes
        case "detection": received.detection = current.bytes
        default: break
        }
    }

    private func putStream(_ name: MediaName) -> S3Upload {
        storage.putStream(name.key(of: capture), contentType: name.contentType)
    }

    private func finish(_ part: PartInProgress, as name: MediaName) async throws -> StoredMedia? {
        let key = name.key(of: capture)
        stored.append(key)
        guard let upload else { return nil }
        let digest = ContentDigest(part.hasher.finalize())
        _ = try await upload.finish(sha256: digest.bytes)
        self.upload = nil
        return StoredMedia(key: key, sha256: digest, sizeBytes: part.size, contentType: name.contentType)
    }
}
