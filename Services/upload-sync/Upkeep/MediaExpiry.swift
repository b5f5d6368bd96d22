import CaptureProtocol
import Logging
import Metrics
import ObjectStorage

/// Finds captures whose media expire. Each method is one transaction.
protocol ExpiryRepository: Sendable {
    /// Failed captures of unverified devices, 30 days after their upload, without those that ``forgetMedia(of:)`` refuses.
    func expired(limit: Int) async throws -> [CaptureID]

    /// Removes the references to the capture's media, under the advisory lock that repeated uploads take too.
    /// - Returns: false, with nothing changed, unless the capture is failed, no repeated upload is pending for it, and its media were
    ///   neither synced nor brought again in the last day.
    func forgetMedia(of capture: CaptureID) async throws -> Bool

    /// Runs `delete` under the same lock and records that the media are deleted.
    /// - Returns: as ``forgetMedia(of:)``.
    func expire(_ capture: CaptureID, delete: @escaping @Sendable () async throws -> Void) async throws -> Bool
}

/// Deletes the media of failed captures of unverified devices 30 days after their upload: anyone can register such a device, and storage
/// must stay bounded (SPEC §11). The capture stays `failed`; sending the same upload again restores its media and processes it again.
struct MediaExpiry {
    static let batchSize = 100
    let rows: any ExpiryRepository
    let storage: any ObjectStore
    let logger: Logger

    func expire() async throws {
        try await CleanupTask.failedMedia.inBatches(of: Self.batchSize, logger, rows.expired(limit:)) { try await expire($0) }
    }

    /// Removes the references first and then the objects, so that no row names a deleted object even if deletion is slow. A repeated upload
    /// is analyzed again.
    /// - Returns: false if a repeated upload is restoring the capture.
    private func expire(_ capture: CaptureID) async throws -> Bool {
        guard try await rows.forgetMedia(of: capture) else { return false }
        let isDeleted = try await rows.expire(capture) {
            try await StoredPrefix.intake(of: capture, in: storage).empty()
            try await StoredPrefix.media(of: capture, in: storage).empty()
        }
        guard isDeleted else { return false }
        Counter(label: "rial_media_expired_total").increment()
        logger.notice("media of a failed capture deleted", metadata: ["capture_id": "\(capture)"])
        return true
    }
}
