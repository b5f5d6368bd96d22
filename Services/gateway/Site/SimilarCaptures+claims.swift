import Models
import Site

extension SimilarCaptures {
    /// `nil` unless several devices claim the file.
    /// - Parameter claims: in the order of ``VerificationRepository/claims(of:)``; only claims of the original count.
    init?(_ claims: [Claim]) {
        let originals = claims.filter { $0.matched == .original }
        let devices = Set(originals.map(\.row.deviceID)).count
        guard devices > 1 else { return nil }
        let captures = originals.compactMap { claim -> SimilarCapture? in
            guard let evidence = claim.row.evidence, let confidence = claim.row.confidence else { return nil }
            return SimilarCapture(
                id: claim.row.id, confidence: confidence, isDevelopment: evidence.hardwareAttestation.developmentAttestation,
                isRevoked: claim.row.isRevoked, capturedAt: claim.row.capturedAt, place: evidence.metadata.locationCoarse,
                isSigned: evidence.coversMetadata)
        }
        self.init(captures, devices: devices)
    }
}
