import Blocking
import CaptureProtocol
import Delivery
import Foundation
import Logging
import MediaStore
import Metrics
import Models
import ObjectStorage
import Synchronization

/// Uploads that repeat a capture's.
protocol RepeatRepository: Sendable {
    /// Those that wait, the oldest first, without the given ones.
    func waiting(limit: Int, excluding paused: Set<CaptureID>) async throws -> [CaptureID]

    /// In one transaction, under the advisory lock that ``MediaExpiry`` takes: runs `copy` if the repeated capture is in processing or
    /// failed, announces it if `copy` returns true, and marks the upload's own objects for deletion. Media of a capture that is announced
    /// count as synced now, so that they do not expire before they are compared. If the capture was withdrawn meanwhile, its objects are
    /// looked for again.
    /// - Parameter copy: gets what was announced of the capture, and its status; may run again.
    /// - Returns: false, with nothing changed, if another instance is processing the upload, or if it does not wait any more.
    func bring(
        _ upload: CaptureID, copy: @escaping @Sendable (CaptureAnnouncement, CaptureStatus) async throws -> Bool
    ) async throws -> Bool

    func forget(_ upload: CaptureID) async throws
}

/// Copies the bytes of a repeated upload to where its capture's are missing, and announces that capture again (SPEC §5).
///
/// The gateway records which capture an upload repeats; it cannot do the copy, since it has no access to originals.
struct RepeatedUploads: Sendable {
    static let batchSize = 20
    let rows: any RepeatRepository
    let storage: any ObjectStore
    let logger: Logger
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    private let pauses = RepeatPauses()

    /// Processes one batch. An upload that fails does not block the others and is retried later, less and less often. It is never given up:
    /// it may have the only copy of what was accepted.
    func bring() async throws {
        for upload in try await rows.waiting(limit: Self.batchSize, excluding: pauses.lasting(at: now())) {
            guard !Task.isEnding else { return }
            do {
                let isBrought = try await rows.bring(upload) { try await copy(from: upload, to: $0, $1) }
                guard isBrought else { continue }
                try await StoredPrefix.media(of: upload, in: storage).empty()
                try await rows.forget(upload)
            } catch {
                pauses.begin(upload, at: now())
                logger.cleanupFailed(.repeatedUpload, upload, error)
            }
        }
    }

    /// Something that is needed may be gone: a restored database may name uploads whose objects were deleted since. The capture then has
    /// what was copied earlier, or lacks these objects.
    /// - Returns: whether the capture is to be announced.
    private func copy(from upload: CaptureID, to announcement: CaptureAnnouncement, _ status: CaptureStatus) async throws -> Bool {
        var (isBrought, isGone) = (false, false)
        for (media, name) in announcement.content.uploads {
            let kept = media.kept(as: name, of: announcement.captureID)
            guard try await isNeeded(kept, status) else { continue }
            do {
                try await storage.copy(from: name.key(of: upload), to: kept.key)
                isBrought = true
            } catch let error as ObjectStorageError where error.code == .notFound {
                logger.warning("bytes of a repeated upload are gone", error: error, metadata: ["capture_id": "\(announcement.captureID)"])
                isGone = true
            }
        }
        if isBrought { Counter(label: "rial_captures_brought_again_total").increment() }
        return isBrought || isGone || status == .failed
    }

    /// The objects of a failed capture may be wrong bytes of the right length, so they are always overwritten.
    private func isNeeded(_ kept: StoredMedia, _ status: CaptureStatus) async throws -> Bool {
        guard status == .processing else { return true }
        return try await storage.head(kept.key)?.sizeBytes != kept.sizeBytes
    }
}

/// When uploads that failed are tried again, in this process.
private final class RepeatPauses: Sendable {
    /// More than can fail, one batch a second, before the first is forgotten.
    private static let limit = 20_000
    /// After this time without an attempt an upload is gone, or another instance has brought it.
    private static let forgottenAfter = Duration.seconds(600)
    private static let backoff = Backoff(initial: 1, limit: 300)

    private struct Pause {
        let failures: Int
        let end: ContinuousClock.Instant
    }

    private let pauses = Mutex<[CaptureID: Pause]>([:])

    /// The uploads that are not tried now.
    func lasting(at now: ContinuousClock.Instant) -> Set<CaptureID> {
        pauses.withLock { pauses in
            pauses = pauses.filter { $0.value.end + Self.forgottenAfter > now }
            return Set(pauses.filter { $0.value.end > now }.keys)
        }
    }

    /// After a failure.
    func begin(_ upload: CaptureID, at now: ContinuousClock.Instant) {
        pauses.withLock { pauses in
            guard pauses[upload] != nil || pauses.count < Self.limit else { return }
            let failures = pauses[upload]?.failures ?? 0
            pauses[upload] = Pause(failures: failures + 1, end: now + Self.backoff.wait(after: failures))
        }
    }
}
