import Models
import Site

extension SimilarCaptures {
    /// `nil` unless there is another capture to name.
    /// - Parameters:
    ///   - claims: in the order of ``VerificationRepository/claims(of:)``; only claims of the original count.
    ///   - devices: all that claim the file, also by claims that were not returned.
    ///   - isCut: whether there may be more claims than were returned.
    init?(_ claims: [Claim], devices: Int, isCut: Bool) {
        let originals = claims.filter { $0.matched == .original }
        guard originals.count > 1 else { return nil }
        let captures = originals.compactMap { claim -> SimilarCapture? in
            guard let evidence = claim.row.evidence, let confidence = claim.row.confidence else { return nil }
            return SimilarCapture(
                id: claim.row.id, confidence: confidence, isDevelopment: evidence.hardwareAttestation.developmentAttestation,
                isRevoked: claim.row.isRevoked, capturedAt: claim.row.capturedAt, place: evidence.metadata.locationCoarse,
                isSigned: evidence.coversMetadata)
        }
        self.init(captures, devices: devices, isCut: isCut)
    }
}
