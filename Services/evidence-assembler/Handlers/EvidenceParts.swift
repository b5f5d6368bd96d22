import Persistence
import Models

/// The three parts of a capture, all done.
struct EvidenceParts: Sendable {
    let attestation: AttestationFindings
    let depth: DepthFindings
    let media: MediaFindings

    /// Made of the photo; `upload-sync` made them once.
    var pictures: [MediaName: StoredMedia] { depth.pictures ?? media.objects }

    /// What there is of the capture before it is published, by name.
    var objects: [MediaName: StoredMedia] {
        var objects = media.objects.merging(depth.pictures ?? [:]) { $1 }
        objects[.depthPreview] = depth.preview
        return objects
    }

    /// `nil` while a part is missing or stands as an error, and while there are no pictures: two versions may have left them to each other,
    /// and `depth-analyzer` makes them when the capture is announced again.
    init?(_ parts: [StoredPart]) throws {
        let done = Dictionary(parts.compactMap { part in part.result.map { (part.part, $0) } }) { first, _ in first }
        guard let attestation = done[.attestation], let depth = done[.depth], let media = done[.media] else { return nil }
        self.attestation = try attestation.decode(AttestationFindings.self)
        self.depth = try depth.decode(DepthFindings.self)
        self.media = try media.decode(MediaFindings.self)
        guard self.depth.pictures != nil || self.media.objects[.thumbnail] != nil else { return nil }
    }
}
