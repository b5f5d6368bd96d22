import CaptureProtocol
import Foundation
import MediaStore
import Models
import ObjectStorage

/// The original of a capture, read once.
enum Original: Sendable {
    /// Also of a capture without media.
    case photo(OriginalPhoto)
    case video(AcceptedVideo)

    /// - Throws: ``RejectedMessage`` if the original is missing or its digest differs; storage errors unchanged.
    init(of parts: EvidenceParts, in storage: any ObjectStore, scratchFolder: String) async throws {
        if let video = parts.media.objects[.originalVideo] {
            self = .video(try await AcceptedVideo(video, in: storage, missing: .originalMissing, scratchFolder: scratchFolder))
        } else {
            self = .photo(try await OriginalPhoto(of: parts, in: storage))
        }
    }

    /// What may be published of it.
    /// - Parameter startedAt: the only date in the public copy of a video; `nil` for what was never recorded.
    func publicCopy(startedAt: Date?) -> PublicOriginal {
        switch self {
        case .photo(let photo): .photo(photo.publicCopy)
        case .video(let video): .video(PublicVideo(video, startedAt: startedAt ?? Date(timeIntervalSince1970: 0)))
        }
    }
}
