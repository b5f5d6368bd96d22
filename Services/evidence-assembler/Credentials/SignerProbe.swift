import Blocking
import Foundation
import Signing

/// Whether Content Credentials can be signed; for readiness.
struct SignerProbe: Sendable {
    let signer: any ClaimSigner
    let certificate: SigningCertificate
    private let executor = BlockingExecutor(label: "signer-check")

    init(signer: any ClaimSigner, certificate: SigningCertificate) {
        self.signer = signer
        self.certificate = certificate
    }

    /// Expiry counts too: the library does not sign with an expired certificate.
    func isSound(at now: Date) async -> Bool {
        let checked: Void? = try? await executor.run {
            try signer.check()
            try certificate.check(at: now)
        }
        return checked != nil
    }
}
