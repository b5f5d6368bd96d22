import Foundation
import Logging
import Metrics
import ServiceRuntime
import Signing

/// Tells how long the signer's certificates still hold, and warns from thirty days ahead; and whether the key lies in a file.
struct CertificateWatch: Sendable {
    static let warningDays = 30.0
    let certificate: SigningCertificate
    /// The key can be copied; in production it belongs into a PKCS#11 token (SPEC §7).
    let isKeyInFile: Bool
    let mode: RunMode
    let logger: Logger

    /// Said once, at start.
    func warnOfKey() {
        guard isKeyInFile, mode == .production else { return }
        logger.warning("the signing key lies in a file: in production mode it belongs into a PKCS#11 token")
    }

    func look(at now: Date) {
        let days = certificate.notValidAfter.timeIntervalSince(now) / 86_400
        Meter(label: "rial_signing_certificate_days_left").set(days)
        Meter(label: "rial_signing_certificate_expires_soon").set(days < Self.warningDays ? 1 : 0)
        Meter(label: "rial_signing_key_in_file").set(isKeyInFile ? 1 : 0)
        guard days < Self.warningDays else { return }
        logger.warning(
            "the signing certificate expires soon",
            metadata: [
                "not_valid_after": "\(certificate.notValidAfter)", "days_left": "\(Int(days.rounded(.down)))",
            ])
    }
}
