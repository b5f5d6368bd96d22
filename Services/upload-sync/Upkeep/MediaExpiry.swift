import CaptureProtocol
import Logging
import Metrics
import ObjectStorage

/// Which captures' media may go for ever. Each method is one transaction.
protocol ExpiryRepository: Sendable {
    /// Failed captures of unverified devices, 30 days after their upload.
    func expired(limit: Int) async throws -> [CaptureID]

    /// Lets no row name the capture's media any more, under a lock that is taken before bytes are brought again.
    /// - Returns: false, with nothing done, unless the capture is failed and nobody brings its bytes again, or has synced them since.
    func forgetMedia(of capture: CaptureID) async throws -> Bool

    /// Runs `delete` under the same lock, and notes that the media are gone.
    /// - Returns: as ``forgetMedia(of:)``.
    func expire(_ capture: CaptureID, delete: @escaping @Sendable () async throws -> Void) async throws -> Bool
}

/// Deletes the media of failed captures of unverified devices 30 days after their upload: anyone may have such a device, and space must
/// stay bounded (SPEC §11). The capture stays `failed`; the same upload sent again brings its bytes, and it goes through again.
struct MediaExpiry {
    static let batchSize = 100
    let rows: any ExpiryRepository
    let storage: any ObjectStore
    let logger: Logger

    func expire() async throws {
        while true {
            let captures = try await rows.expired(limit: Self.batchSize)
            var expired = 0
            for id in captures {
                do {
                    if try await expire(id) { expired += 1 }
                } catch {
                    logger.cleanUpFailed("media of failed captures", id, error)
                }
            }
            guard captures.count == Self.batchSize, expired > 0, !Task.isCancelled else { return }
        }
    }

    /// First no row names the objects any more, then they go: a store that takes its time leaves no row that names what is gone. Sent again,
    /// it is analyzed again.
    /// - Returns: false if the capture is being brought again.
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
