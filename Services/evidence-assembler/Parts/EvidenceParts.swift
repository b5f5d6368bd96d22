import CaptureProtocol
import MediaStore
import Models
import Persistence

/// The three parts of a capture, all done.
struct EvidenceParts: Sendable {
    let attestation: AttestationFindings
    private(set) var depth: DepthFindings
    let media: MediaFindings

    /// The pictures made from the photo; earlier versions of `upload-sync` made them.
    var pictures: [MediaName: StoredMedia] { depth.pictures ?? media.objects }

    /// The capture's objects before publication, by name.
    var objects: [MediaName: StoredMedia] {
        var objects = media.objects.merging(depth.pictures ?? [:]) { $1 }
        objects[.depthPreview] = depth.preview
        return objects
    }

    /// The same pictures, with other measurements.
    func measured(again findings: DepthFindings) -> EvidenceParts {
        var parts = self
        parts.depth.measurements = findings.measurements
        parts.depth.temporal = findings.temporal
        parts.depth.unavailableReason = findings.unavailableReason
        return parts
    }

    /// `nil` while a part is missing or an error, or while there are no pictures. During an upgrade two versions may each expect the other
    /// to make them; `depth-analyzer` makes them when the capture is announced again.
    init?(_ parts: [StoredPart]) throws {
        let done = Dictionary(parts.compactMap { part in part.result.map { (part.part, $0) } }) { first, _ in first }
        guard let attestation = done[.attestation], let depth = done[.depth], let media = done[.media] else { return nil }
        self.attestation = try attestation.decode(AttestationFindings.self)
        self.depth = try depth.decode(DepthFindings.self)
        self.media = try media.decode(MediaFindings.self)
        guard self.depth.pictures != nil || self.media.objects[.thumbnail] != nil else { return nil }
    }
}

extension EvidenceParts {
    /// What earlier versions of `upload-sync` made of a photo.
    private static let earlierPictures: Set<MediaName> = [.thumbnail, .smallPicture, .largePicture, .publicCopy]

    /// Compares the objects that the services name with the announced ones, so that nobody who writes one part names other files.
    /// - Throws: ``RejectedMessage`` if one is missing or different, or not its service's to name.
    func mustFit(_ announcement: CaptureAnnouncement) throws {
        let capture = announcement.captureID
        var announced: [MediaName: StoredMedia] = [.metadata: StoredMedia(announcement.metadata, as: .metadata, of: capture)]
        for (upload, name) in announcement.content.uploads {
            guard media.objects[name] != nil else { throw RejectedMessage(.originalMissing, detail: name.rawValue) }
            announced[name] = upload.kept(as: name, of: capture)
        }
        for (name, object) in media.objects {
            guard let upload = announced[name] else {
                try Self.mustBeMade(object, name, of: capture, among: depth.pictures == nil ? Self.earlierPictures : [])
                continue
            }
            guard object.key == upload.key, object.sha256 == upload.sha256, object.sizeBytes == upload.sizeBytes else {
                throw RejectedMessage(.digestMismatch, detail: "\(name.rawValue) is not the announced one")
            }
        }
        let made = announcement.content.derived
        for (name, picture) in depth.pictures ?? [:] { try Self.mustBeMade(picture, name, of: capture, among: made) }
        if let preview = depth.preview { try Self.mustBeMade(preview, .depthPreview, of: capture, among: made) }
    }

    private static func mustBeMade(
        _ object: StoredMedia, _ name: MediaName, of capture: CaptureID, among names: Set<MediaName>
    ) throws {
        guard names.contains(name), object.key == name.key(of: capture, digest: object.sha256) else {
            throw RejectedMessage(.captureUnreadable, detail: "\(name.rawValue) is not a name that this service may give")
        }
    }
}

extension CaptureContent {
    /// What `depth-analyzer` makes of the uploads.
    fileprivate var derived: Set<MediaName> {
        switch self {
        case .photo: [.thumbnail, .smallPicture, .largePicture, .depthPreview]
        case .hashOnly: []
        case .video: [.thumbnail, .poster, .playback, .depthFrames, .depthPreview]
        }
    }
}
