import SwiftASN1
import X509

/// RFC 5280 §4.2: a certificate with an unknown critical extension must be rejected.
enum CriticalExtensions {
    private static let understood: [ASN1ObjectIdentifier] = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
        .X509ExtensionID.subjectAlternativeName, [2, 5, 29, 32],  // certificatePolicies: any is accepted
    ]

    static func defect(of certificate: Certificate) -> String? {
        for found in certificate.extensions where found.critical && !understood.contains(found.oid) {
            return "it has the critical extension \(found.oid), which is unknown here"
        }
        return nil
    }
}
