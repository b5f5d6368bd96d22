import Foundation
import Logging
import Metrics
import Signing

/// Tells how long the signer's certificates still hold, and warns from thirty days ahead.
struct CertificateWatch: Sendable {
    static let warningDays = 30.0
    let certificate: SigningCertificate
    let logger: Logger

    func look(at now: Date) {
        let days = certificate.notValidAfter.timeIntervalSince(now) / 86_400
        Meter(label: "rial_signing_certificate_days_left").set(days)
        Meter(label: "rial_signing_certificate_expires_soon").set(days < Self.warningDays ? 1 : 0)
        guard days < Self.warningDays else { return }
        logger.warning(
            "the signing certificate expires soon",
            metadata: [
                "not_valid_after": "\(certificate.notValidAfter)", "days_left": "\(Int(days.rounded(.down)))",
            ])
    }
}
