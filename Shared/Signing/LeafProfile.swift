import SwiftASN1
import X509

/// Checks the certificate of a claim signer: everything that the C2PA library requires, and slightly more.
///
/// Readers accept the purposes documentSigning and claimSigning only if their settings list them; emailProtection is always accepted.
enum LeafProfile {
    /// id-kp-documentSigning (RFC 9336 §3.1).
    static let documentSigning: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 3, 36]
    /// c2pa-kp-claimSigning.
    static let claimSigning: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 62558, 2, 1]

    /// The first defect of the leaf; `nil` if there is none.
    static func defect(of leaf: Certificate) -> String? {
        guard leaf.version == .v3 else { return "it is not an X.509 version 3 certificate" }
        guard leaf.issuer != leaf.subject else { return "it is self-signed: no authority vouches for it" }
        if let defect = CriticalExtensions.defect(of: leaf) { return defect }
        return constraintsDefect(of: leaf) ?? keyUsageDefect(of: leaf) ?? purposeDefect(of: leaf) ?? authorityDefect(of: leaf)
    }

    // RFC 5280 §4.2.1.9: without basic constraints a certificate is not an authority's.
    private static func constraintsDefect(of leaf: Certificate) -> String? {
        guard let constraints = try? leaf.extensions.basicConstraints else {
            return leaf.extensions[oid: .X509ExtensionID.basicConstraints] == nil ? nil : "its basic constraints cannot be read"
        }
        if case .isCertificateAuthority = constraints { return "it is an authority's certificate (CA:TRUE), not a signer's" }
        return nil
    }

    private static func keyUsageDefect(of leaf: Certificate) -> String? {
        guard let usage = try? leaf.extensions.keyUsage else { return "it has no key usage extension that can be read" }
        guard usage.digitalSignature else { return "its key usage lacks digitalSignature" }
        guard !usage.keyCertSign else { return "its key usage has keyCertSign, which only an authority may have" }
        return nil
    }

    private static func purposeDefect(of leaf: Certificate) -> String? {
        guard let purposes = try? leaf.extensions.extendedKeyUsage else { return "it has no extended key usage extension that can be read" }
        let has = { (purpose: ExtendedKeyUsage.Usage) in purposes.contains(purpose) }
        guard !has(.any) else { return "its extended key usage allows any purpose" }
        guard !has(.timeStamping), !has(.ocspSigning) else {
            return "its extended key usage has timeStamping or OCSPSigning, which must stand alone"
        }
        if has(.emailProtection) || has(.init(oid: documentSigning)) { return nil }
        if has(.init(oid: claimSigning)) {
            return "its extended key usage has C2PA claimSigning alone; emailProtection or documentSigning must stand beside it"
        }
        return "its extended key usage has neither emailProtection nor documentSigning"
    }

    private static func authorityDefect(of leaf: Certificate) -> String? {
        guard (try? leaf.extensions.authorityKeyIdentifier) != nil else { return "it has no authority key identifier" }
        return nil
    }
}
