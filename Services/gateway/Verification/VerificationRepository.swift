import CaptureProtocol
import ManifestStore

/// What a file was looked up by.
enum VerificationMethod: String, Sendable { case file, hash }

/// Looks up files by digest or manifest store, and logs the lookups.
protocol VerificationRepository: Sendable {
    /// Complete captures whose original or published file has this digest. Captures with stored media come before hash-only ones, then by
    /// confidence, at equal confidence development devices last, then oldest first. Those whose verdict was taken back come last.
    /// If several objects of one capture have these bytes, the claim names the original, or else the first by name.
    func claims(of digest: ContentDigest) async throws -> [Claim]

    /// The capture for which we made exactly this manifest store with exactly this certificate.
    func claims(of store: StoreIdentity) async throws -> [Claim]

    /// - Parameter network: the truncated address, see ``ClientAddress/truncated``.
    func log(_ method: VerificationMethod, digest: ContentDigest, network: String, status: String, capture: CaptureID?) async throws

    /// Deletes log entries after 30 days.
    func sweep() async throws
}

extension VerificationRepository {
    /// Claims of one file beyond this are not returned.
    var maximumClaims: Int { 50 }
}
