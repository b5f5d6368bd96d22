import Models

/// The three parts of a capture, all done.
struct EvidenceParts: Sendable {
    let attestation: AttestationFindings
    let depth: DepthFindings
    let media: MediaFindings

    /// `nil` while a part is missing or stands as an error.
    init?(_ parts: [StoredPart]) throws {
        let done = Dictionary(parts.compactMap { part in part.result.map { (part.part, $0) } }) { first, _ in first }
        guard let attestation = done[.attestation], let depth = done[.depth], let media = done[.media] else { return nil }
        self.attestation = try attestation.decode(AttestationFindings.self)
        self.depth = try depth.decode(DepthFindings.self)
        self.media = try media.decode(MediaFindings.self)
    }
}
