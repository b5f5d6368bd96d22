import CaptureProtocol
import Evidence
import MediaStore
import Models
import ObjectStorage

extension EvidenceAssembly.Statement {
    /// What a photo says of itself, if that is known without reading it: its EXIF fields are among the depth findings, except those of
    /// earlier versions. `nil` for other captures.
    /// - Throws: ``RejectedMessage`` if it cannot be read.
    init?(_ announcement: CaptureAnnouncement, _ parts: EvidenceParts) throws {
        guard case .photo = announcement.content, parts.media.objects[.originalVideo] == nil, parts.depth.pictures != nil else {
            return nil
        }
        self = try Self.photo(announcement, exif: parts.depth.exif)
    }

    private static func photo(_ announcement: CaptureAnnouncement, exif: EXIFFields?) throws -> Self {
        do {
            return .photo(try CaptureMetadata.parse(announcement.metadata), exif: exif)
        } catch {
            throw RejectedMessage(.metadataUnreadable, detail: "\(error)")
        }
    }

    /// What a capture says of itself.
    /// - Throws: ``RejectedMessage`` if it cannot be read, or is not of its kind; storage errors unchanged.
    init(_ announcement: CaptureAnnouncement, _ original: Original, _ storage: any ObjectStore) async throws {
        do {
            switch (announcement.content, original) {
            case (.hashOnly(let payload), _): self = .hashOnly(payload)
            case (.photo, .photo(let photo)): self = try Self.photo(announcement, exif: photo.exif)
            case (.video(let content), .video(let video)):
                let chain = try await storage.accepted(content.hashChain, missing: .originalMissing)
                let metadata = try VideoMetadata.parse(
                    announcement.metadata, isOriginalLayout: SubmittedHashChain.isOriginalLayout(chain))
                self = .video(metadata, video.facts)
            case (.photo, .video), (.video, .photo): throw RejectedMessage(.originalMissing)
            }
        } catch let error as MetadataError {
            throw RejectedMessage(.metadataUnreadable, detail: "\(error)")
        }
    }
}
