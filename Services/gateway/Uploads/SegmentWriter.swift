import CaptureProtocol
import NIOCore
import ObjectStorage
import Observability

/// Stores what a request adds to an upload, in segments: at 1 MiB, two seconds after a segment's first byte, and at the end. Only then does
/// the upload's offset grow.
///
/// Holds at most two segments, however slow the store is: one that is being stored, and another one or the one that is being filled; and of
/// a photo its end, ``heldBytes``. Stores on tasks of its own, so that what came is kept even if the request is cancelled.
actor SegmentWriter {
    static let segmentBytes = 1 << 20
    static let delay: Duration = .seconds(2)
    /// How much of a photo's end is held: all of most photos.
    static let heldBytes: Int64 = 4 << 20

    private let upload: Upload
    private let uploads: any SegmentRepository
    private let storage: any ObjectStore
    private let delay: Duration
    private var pending = ByteBuffer()
    private var timer: Task<Void, Never>?
    /// The segments so far, each after the one before.
    private var storing: Task<Void, any Error>?
    private var running = 0
    private var failure: (any Error)?
    /// The offset up to which bytes were taken.
    private(set) var taken: Int64
    /// The offset up to which bytes are stored.
    private(set) var stored: Int64
    private(set) var hasEnded = false
    /// Whether the store may still put one of the segments, after a deletion too.
    private(set) var isUnanswered = false
    /// The stored segments at a photo's end, by their keys: who completes the upload with the same request need not read them again.
    private(set) var held: [String: ByteBuffer] = [:]

    /// - Parameters:
    ///   - upload: as its request claimed it.
    ///   - delay: from a segment's first byte until it is stored, if it has not its size by then.
    init(_ upload: Upload, uploads: any SegmentRepository, storage: any ObjectStore, delay: Duration = SegmentWriter.delay) {
        self.upload = upload
        self.delay = delay
        self.uploads = uploads
        self.storage = storage
        taken = upload.offset
        stored = upload.offset
    }

    /// Whether the gateway, not the client, is what the body waits for.
    var isBusy: Bool { running > 1 }

    /// Takes the next bytes; returns when there is room for more.
    /// - Throws: ``UploadError/inconsistentLength`` for bytes beyond the upload's length, and what storing earlier ones failed with.
    func take(_ bytes: ByteBuffer) async throws {
        if let failure { throw failure }
        guard Int64(bytes.readableBytes) <= upload.length - taken else { throw UploadError.inconsistentLength }
        guard bytes.readableBytes > 0 else { return }
        // Reserve all of it at once: a growing buffer would be copied each time.
        if pending.capacity == 0 {
            pending.reserveCapacity(Int(min(upload.length - taken, Int64(Self.segmentBytes + bytes.readableBytes))))
        }
        taken += Int64(bytes.readableBytes)
        pending.writeImmutableBuffer(bytes)
        if pending.readableBytes >= Self.segmentBytes {
            let earlier = storing
            store()
            try await earlier?.value
        } else if timer == nil {
            // There is one timer at a time. ``store()`` cancels it; otherwise it ends after the delay and the segments before it.
            timer = Task {
                try? await Task.sleep(for: delay)
                // While the store is slow, what comes makes this segment larger, up to its limit: else there would be ever more of them.
                _ = try? await storing?.value
                if !Task.isCancelled { store() }
            }
        }
    }

    /// Stores what is left. Nothing is taken any more.
    func finish() async throws {
        hasEnded = true
        store()
        try await storing?.value
    }

    /// Begins to store what has come since the last segment.
    private func store() {
        timer?.cancel()
        timer = nil
        guard pending.readableBytes > 0, failure == nil else { return }
        let (bytes, start, earlier) = (pending, taken - Int64(pending.readableBytes), storing)
        pending = ByteBuffer()
        running += 1
        // Nobody cancels this task, so that what came is kept. It ends with the segment before and with its own requests to store and
        // database, which have timeouts. ``take(_:)`` and ``finish()`` wait for it, so at most two run.
        storing = Task {
            defer { running -= 1 }
            do {
                try await store(bytes, from: start, after: earlier)
            } catch {
                failure = failure ?? error
                throw error
            }
        }
    }

    /// The bytes are put beside those of the segment before; the upload grows by one after the other.
    private func store(_ bytes: ByteBuffer, from start: Int64, after earlier: Task<Void, any Error>?) async throws {
        let key = UploadSegment.key(upload.id, start: start, epoch: upload.epoch)
        let isAnswered = try await storage.putAnswered(key, buffer: bytes, contentType: "application/octet-stream")
        if !isAnswered { isUnanswered = true }
        FailPoint.reached("gateway.upload.put")
        do {
            try await earlier?.value
        } catch {
            try? await storage.delete([key])
            throw error
        }
        // After an error the row may be there all the same: the object stays, and what no row names goes with the upload's folder.
        guard try await uploads.grow(upload, from: start, by: Int64(bytes.readableBytes), key: key) else {
            try? await storage.delete([key])
            throw try await refusal()
        }
        stored = start + Int64(bytes.readableBytes)
        hold(bytes, as: key, from: start)
        FailPoint.reached("gateway.upload.stored")
    }

    private func hold(_ bytes: ByteBuffer, as key: String, from start: Int64) {
        switch upload.type {
        case .photo: guard start >= upload.length - Self.heldBytes else { return }
        case .video: return
        }
        var kept = bytes
        // A small one does not keep the room that there was for more.
        kept.shrinkBufferCapacity(to: kept.readableBytes)
        held[key] = kept
    }

    /// Why a segment was not added.
    private func refusal() async throws -> UploadError {
        guard let now = try await uploads.find(upload.id) else { return .unknown }
        switch now.state {
        case .ended: return .gone
        case .done: return now.answer.map { .completed($0.capture.captureID) } ?? .gone
        case .open where now.epoch != upload.epoch: return .offsetMismatch(expected: now.offset, provided: nil)
        // Expired, or too many segments.
        case .open: return .gone
        }
    }
}
