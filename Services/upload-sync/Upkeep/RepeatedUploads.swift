import CaptureProtocol
import Delivery
import Foundation
import Logging
import MediaStore
import Metrics
import Models
import ObjectStorage
import Persistence

/// Copies the bytes of a repeated upload to where its capture's are missing, and announces that capture again (SPEC §5).
///
/// The gateway records which capture an upload repeats; it cannot do the copy, since it has no access to originals.
struct RepeatedUploads {
    static let batchSize = 20
    /// Enough for the store to copy one object of a video, 100 MB.
    static let longestCopy = Duration.seconds(600)
    let database: PostgresPool
    let storage: any ObjectStore
    let outbox: Outbox
    let logger: Logger

    /// Processes one batch. An upload that fails does not block the others and is retried later.
    func bring() async throws {
        let waiting = try await database.query(
            """
            SELECT id FROM intakes WHERE brings IS NOT NULL AND abandoned_at IS NULL ORDER BY created_at LIMIT \(Self.batchSize)
            """
        ).map { CaptureID(try $0.get("id", as: UUID.self)) }
        for upload in waiting {
            guard !Task.isEnding else { return }
            do {
                guard try await bring(upload) else { continue }
                try await StoredPrefix.media(of: upload, in: storage).empty()
                _ = try await database.query("DELETE FROM intakes WHERE id = \(upload.uuid)")
            } catch {
                logger.cleanUpFailed(.repeatedUpload, upload, error)
            }
        }
    }

    /// In one transaction: copies the missing objects, announces the capture, and marks the upload's own objects for deletion.
    ///
    /// Takes the advisory lock that ``MediaExpiry`` takes.
    /// - Returns: false if another instance is processing it.
    private func bring(_ upload: CaptureID) async throws -> Bool {
        try await database.withTransaction { connection in
            let rows = try await connection.query(
                """
                SELECT brings FROM intakes WHERE id = \(upload.uuid) AND brings IS NOT NULL AND abandoned_at IS NULL
                    AND NOT EXISTS (SELECT FROM captures WHERE captures.id = intakes.id) FOR UPDATE SKIP LOCKED
                """)
            guard let row = rows.first else { return false }
            let capture = CaptureID(try row.get("brings", as: UUID.self))
            try await connection.query("SELECT pg_advisory_xact_lock(hashtextextended(\(capture.description), 0))")
            let known = try await connection.query("SELECT status, announcement FROM captures WHERE id = \(capture.uuid)")
            if let known = known.first, let status = CaptureStatus(rawValue: try known.get("status")),
                status == .processing || status == .failed
            {
                let announcement = try CaptureAnnouncement(stored: known.get("announcement", as: PostgresJSON.self))
                try await connection.mayIdle(for: Self.longestCopy)
                let (isBrought, isGone) = try await copy(from: upload, to: announcement, status)
                if isBrought { Counter(label: "rial_captures_brought_again_total").increment() }
                if isBrought || isGone || status == .failed { try await outbox.append(announcement.arrival, on: connection) }
            }
            try await connection.query("UPDATE intakes SET abandoned_at = now() WHERE id = \(upload.uuid)")
            return true
        }
    }

    /// - Returns: whether anything was copied, and whether something that is needed is gone: a restored database may name uploads whose
    ///   objects were deleted since. The capture then has what was copied earlier, or lacks these objects.
    private func copy(
        from upload: CaptureID, to announcement: CaptureAnnouncement, _ status: CaptureStatus
    ) async throws -> (isBrought: Bool, isGone: Bool) {
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
        return (isBrought, isGone)
    }

    /// The objects of a failed capture may be wrong bytes of the right length, so they are always overwritten.
    private func isNeeded(_ kept: StoredMedia, _ status: CaptureStatus) async throws -> Bool {
        guard status == .processing else { return true }
        return try await storage.head(kept.key)?.sizeBytes != kept.sizeBytes
    }
}
