import Models
import Site

extension SimilarCaptures {
    /// `nil` unless there is another capture to name.
    /// - Parameters:
    ///   - claims: in the order of ``VerificationRepository/claims(of:)``; only claims of the original count.
    ///   - devices: all that claim the file, also by claims that were not returned.
    ///   - isCut: whether there may be more claims than were returned.
    init?(_ claims: [Claim], devices: Int, isCut: Bool) {
        let captures = claims.compactMap { claim -> SimilarCapture? in
            guard claim.matched == .original, let evidence = claim.row.evidence, let confidence = claim.row.confidence else { return nil }
            return SimilarCapture(
                id: claim.row.id, confidence: confidence, isDevelopment: evidence.hardwareAttestation.developmentAttestation,
                isRevoked: claim.row.isRevoked, capturedAt: claim.row.capturedAt, place: evidence.metadata.locationCoarse,
                isSigned: evidence.coversMetadata)
        }
        guard captures.count > 1 else { return nil }
        self.init(captures, devices: devices, isCut: isCut)
    }
}
