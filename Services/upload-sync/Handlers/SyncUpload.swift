import Delivery
import Models
import Observability

/// Compares the stored media of a capture with what was accepted. Failed captures are compared again: their bytes may have been uploaded
/// again.
struct SyncUpload: PartWork {
    typealias Part = MediaSynced
    let inventory: MediaInventory

    func isOutdated(_ stored: MediaFindings, isFailed: Bool) -> Bool { isFailed }

    func compute(_ announcement: CaptureAnnouncement) async throws -> MediaFindings {
        let findings = try await inventory.take(announcement)
        FailPoint.reached("upload-sync.compared")
        return findings
    }
}
