import Delivery
import Models
import Observability

/// Compares what the store holds of a capture with what was accepted. What failed is compared anew: its bytes may have come again.
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
