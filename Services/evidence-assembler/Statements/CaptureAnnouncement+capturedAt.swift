import CaptureProtocol
import Models

extension CaptureAnnouncement {
    /// When a complete capture was captured, by what its device sent and not by its row, which only the gateway vouches for.
    /// - Parameter package: its evidence, which says when a video was begun.
    /// - Returns: `nil` if this version cannot read it.
    func capturedAt(in package: EvidencePackage) -> SharedTime? {
        switch content {
        case .photo: (try? CaptureMetadata.parse(metadata)).map { .exact($0.capturedAt) }
        case .hashOnly(let payload): payload.capturedAt
        case .video: package.video?.startedAt
        }
    }
}
