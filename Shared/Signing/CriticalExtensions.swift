import SwiftASN1
import X509

/// RFC 5280 §4.2: a critical extension that is not understood makes a certificate useless.
enum CriticalExtensions {
    private static let understood: [ASN1ObjectIdentifier] = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
        .X509ExtensionID.subjectAlternativeName, [2, 5, 29, 32],  // certificatePolicies: any policy will do
    ]

    static func flaw(of certificate: Certificate) -> String? {
        for found in certificate.extensions where found.critical && !understood.contains(found.oid) {
            return "it has the critical extension \(found.oid), which is unknown here"
        }
        return nil
    }
}
