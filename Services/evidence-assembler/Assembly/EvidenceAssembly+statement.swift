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
        guard case .photo(let content) = announcement.content, parts.media.objects[.originalVideo] == nil, parts.depth.pictures != nil
        else {
            return nil
        }
        self = try Self.photo(content, announcement, exif: parts.depth.exif)
    }

    private static func photo(_ content: PhotoContent, _ announcement: CaptureAnnouncement, exif: EXIFFields?) throws -> Self {
        let metadata: CaptureMetadata
        do {
            metadata = try CaptureMetadata.parse(announcement.metadata)
        } catch {
            throw RejectedMessage(.metadataUnreadable, detail: "\(error)")
        }
        // The depth was measured in the announced shape, and counts by the one that the device signed.
        guard (metadata.depthWidth, metadata.depthHeight) == (content.depthWidth, content.depthHeight) else {
            throw RejectedMessage(.captureUnreadable, detail: "the depth map is announced in another shape than its metadata's")
        }
        return .photo(metadata, exif: exif)
    }

    /// What a capture says of itself.
    /// - Throws: ``RejectedMessage`` if it cannot be read, or is not of its kind; storage errors unchanged.
    init(_ announcement: CaptureAnnouncement, _ original: Original, _ storage: any ObjectStore) async throws {
        do {
            switch (announcement.content, original) {
            case (.hashOnly(let payload), _): self = .hashOnly(payload)
            case (.photo(let content), .photo(let photo)): self = try Self.photo(content, announcement, exif: photo.exif)
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
