import Persistence
import Models

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
