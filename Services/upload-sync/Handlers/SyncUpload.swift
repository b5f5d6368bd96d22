import CaptureProtocol
import Delivery
import Models
import Observability
import Persistence

/// Copies a capture's media from intake to its final keys, checks the digests, makes thumbnail and public copy.
/// A capture seen again gets the stored result, unless it failed because what was kept is no more, or something else: then it is copied
/// anew.
struct SyncUpload: PartWork {
    typealias Part = MediaSynced
    /// Failures of a capture that say that kept media is not what it was.
    static let damage: [FailureReason] = [.digestMismatch, .originalMissing, .pictureMissing]
    let copier: MediaCopier
    let database: PostgresPool

    func compute(_ announcement: CaptureAnnouncement) async throws -> MediaFindings {
        let findings = try await copier.copy(announcement)
        FailPoint.reached("upload-sync.copied")
        return findings
    }

    func save(
        _ computed: MediaFindings, of announcement: CaptureAnnouncement, with results: PartResults<Part>,
        on connection: PostgresConnection
    ) async throws -> MediaFindings {
        // A second worker copied the same bytes.
        let kept = try await results.save(computed, for: announcement.captureID, on: connection)
        try await MediaObjectRepository().insert(kept.objects, of: announcement.captureID, on: connection)
        return kept
    }

    /// Forgets a result whose media turned out to be damaged: it is copied anew.
    func prepare(_ capture: CaptureID) async throws {
        _ = try await database.query(
            """
            UPDATE sync_jobs SET result = NULL, synced_at = NULL FROM captures
            WHERE sync_jobs.capture_id = \(capture.uuid) AND captures.id = sync_jobs.capture_id AND sync_jobs.result IS NOT NULL
                AND captures.status = 'failed' AND captures.failure = ANY(\(Self.damage.map(\.rawValue)))
            """)
    }
}
