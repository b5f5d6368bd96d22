import Foundation
import Logging
import Metrics
import ServiceRuntime
import Signing

/// Reports how long the signer's certificates are still valid, with a warning from thirty days before expiry, and whether the key is in a
/// file.
struct CertificateWatch: Sendable {
    static let warningDays = 30.0
    let certificate: SigningCertificate
    /// In a file the key can be copied; in production it belongs in a PKCS#11 token (SPEC §7).
    let isKeyInFile: Bool
    let mode: RunMode
    let logger: Logger

    /// Called once, at start.
    func warnOfKey() {
        guard isKeyInFile, mode == .production else { return }
        logger.warning("the signing key is in a file: in production mode it should be in a PKCS#11 token")
    }

    func look(at now: Date) {
        let days = certificate.notValidAfter.timeIntervalSince(now) / 86_400
        Meter(label: "rial_signing_certificate_days_left").set(days)
        Meter(label: "rial_signing_certificate_expires_soon").set(days < Self.warningDays ? 1 : 0)
        Meter(label: "rial_signing_key_in_file").set(isKeyInFile ? 1 : 0)
        guard days < Self.warningDays else { return }
        logger.warning(
            days < 0 ? "the signing certificate has expired: nothing new is signed" : "the signing certificate expires soon",
            metadata: [
                "not_valid_after": "\(certificate.notValidAfter)", "days_left": "\(Int(days.rounded(.down)))",
            ])
    }
}
