import CaptureProtocol
import Crypto
import Foundation
import Models
import Multipart
import NIOCore
import ObjectStorage
import Observability

/// Streams a capture's multipart body: hashes the whole body and each part, and streams the media to the store.
///
/// Buffers at most a few MiB. Fails if the body is too large or malformed; ``discard()`` then deletes what was stored. A row in `intakes`
/// names the upload before its first byte is stored.
actor BodyIntake<Parts: CaptureParts> {
    private let storage: any ObjectStore
    private let intakes: any IntakeRepository
    private let capture: CaptureID
    private let device: DeviceID
    /// The announced size of the body; `nil` if unknown.
    private let declaredBytes: Int?
    private var isOpen = false
    private var parser: MultipartParser
    private var bodyHasher = SHA256()
    /// The bytes of all chunks before the current one.
    private var size = 0
    private var parts: Parts
    private var seen: Set<String> = []
    private var part: PartInProgress?
    private var upload: (any ObjectUpload)?
    private var stored: [String] = []
    /// Whether the store may still put one of the objects, after a deletion too.
    private var isUnanswered = false

    private struct PartInProgress {
        let name: String
        /// `nil` for a part of another name.
        let known: UploadPart?
        /// `nil` for a part that is not stored.
        let object: MediaName?
        var hasher = SHA256()
        var size: Int64 = 0
        var bytes: [UInt8] = []
        var isTooLarge = false
    }

    init(
        _ parts: Parts, of body: IncomingBody, storage: any ObjectStore, intakes: any IntakeRepository, capture: CaptureID, device: DeviceID
    ) {
        self.parts = parts
        self.storage = storage
        self.intakes = intakes
        self.capture = capture
        self.device = device
        declaredBytes = body.declaredBytes
        parser = MultipartParser(boundary: body.boundary)
    }

    /// Reads the body to its end.
    /// - Returns: its parts, and the digest of the whole body.
    /// - Throws: ``CaptureError`` and `MultipartError` for client errors; storage errors unchanged.
    func read(_ body: some AsyncSequence<ByteBuffer, any Error> & Sendable) async throws -> (Parts, ContentDigest) {
        for try await chunk in body {
            guard size + chunk.readableBytes <= Parts.bodyLimit else { throw CaptureError.tooLarge(Parts.bodyLimit) }
            chunk.withUnsafeReadableBytes { bodyHasher.update(bufferPointer: $0) }
            try await parse(chunk)
            size += chunk.readableBytes
        }
        try parser.finish()
        return (parts, ContentDigest(bodyHasher.finalize()))
    }

    /// Stores a collected part unchanged beside the media.
    func keep(_ bytes: [UInt8], as name: MediaName) async throws {
        let key = name.key(of: capture)
        stored.append(key)
        let upload = storage.putStream(key, contentType: name.contentType, expecting: nil)
        self.upload = upload
        try await upload.write(ByteBuffer(bytes: bytes))
        try await finish(upload)
    }

    /// Deletes the stored objects and aborts an upload in progress. Call it only if no transaction can have recorded the capture.
    func discard() async {
        let isAborted = await upload?.abort() ?? true
        let isEnded = isAborted && !isUnanswered
        upload = nil
        guard isOpen else { return }
        do {
            try await storage.delete(stored)
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

    /// Takes the content of large parts as it came; the parser gets what is left.
    private func parse(_ chunk: ByteBuffer) async throws {
        var rest = chunk
        let count = rest.withUnsafeReadableBytes { parser.leadingContent(in: $0) }
        if count > 0, let content = rest.readSlice(length: count) { try await take(content) }
        guard rest.readableBytes > 0 else { return }
        var events: [MultipartParser.Event] = []
        try parser.feed(Array(rest.readableBytesView)) { events.append($0) }
        for event in events { try await handle(event) }
    }

    private func handle(_ event: MultipartParser.Event) async throws {
        switch event {
        case .partBegan(let headers): try await begin(headers)
        case .partData(let data): try await take(ByteBuffer(bytes: data))
        case .partEnded: try await end()
        }
    }

    private func begin(_ headers: PartHeaders) async throws {
        guard seen.insert(headers.name).inserted else { throw CaptureError.invalid(headers.name, "appears twice") }
        let known = UploadPart(rawValue: headers.name)
        let object = known.flatMap { Parts.object(of: $0) }
        if let object {
            try await open()
            // The part is at most what is left of the body.
            let expected = declaredBytes.map { max($0, size) - size }
            upload = storage.putStream(object.key(of: capture), contentType: object.contentType, expecting: expected)
            parts.begin(object)
        }
        part = PartInProgress(name: headers.name, known: known, object: object)
    }

    private func take(_ data: ByteBuffer) async throws {
        guard var current = part else { return }
        part = nil
        current.size += Int64(data.readableBytes)
        if let object = current.object {
            try parts.inspect(data, of: object)
            data.withUnsafeReadableBytes { current.hasher.update(bufferPointer: $0) }
            try await upload?.write(data)
        } else if let limit = current.known.flatMap({ Parts.collected[$0] }) {
            current.isTooLarge = current.size > Int64(limit)
            if current.isTooLarge { current.bytes = [] } else { current.bytes += data.readableBytesView }
        } else if current.size > Int64(SizeLimits.unknownPart) {
            throw CaptureError.invalid(current.name, SizeLimits.unknownPartProblem)
        }
        part = current
    }

    private func end() async throws {
        guard let current = part else { return }
        part = nil
        guard let object = current.object else {
            if let known = current.known, Parts.collected[known] != nil {
                parts.collect(current.isTooLarge ? nil : current.bytes, of: known)
            }
            return
        }
        let key = object.key(of: capture)
        stored.append(key)
        guard let upload else { return }
        let digest = ContentDigest(current.hasher.finalize())
        try await finish(upload, sha256: digest.bytes)
        let media = StoredMedia(key: key, sha256: digest, sizeBytes: current.size, contentType: object.contentType)
        parts.end(media, object, hasher: current.hasher)
    }

    private func finish(_ upload: any ObjectUpload, sha256: [UInt8]? = nil) async throws {
        _ = try await upload.finish(sha256: sha256)
        if await upload.isUnanswered { isUnanswered = true }
        self.upload = nil
    }
}
