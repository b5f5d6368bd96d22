import X509

/// Checks the authorities above a leaf, and each link of the chain (RFC 5280 §6.1.3, §6.1.4).
enum IssuerProfile {
    /// The first defect of an authority's certificate; `nil` if there is none.
    /// - Parameter authoritiesBelow: the number of authorities between it and the leaf.
    static func defect(of certificate: Certificate, authoritiesBelow: Int) -> String? {
        guard certificate.version == .v3 else { return "it is not an X.509 version 3 certificate" }
        if let defect = CriticalExtensions.defect(of: certificate) { return defect }
        guard let constraints = try? certificate.extensions.basicConstraints, case .isCertificateAuthority(let limit) = constraints else {
            return "it is used as an authority but is not one (CA:TRUE is missing)"
        }
        if let limit, authoritiesBelow > limit { return "its path length allows \(limit) authorities below it, not \(authoritiesBelow)" }
        guard let usage = try? certificate.extensions.keyUsage, usage.keyCertSign else { return "its key usage lacks keyCertSign" }
        return nil
    }

    /// Why `issuer` does not vouch for `certificate`; `nil` if it does.
    static func defect(ofLinkFrom certificate: Certificate, to issuer: Certificate) -> String? {
        guard certificate.issuer == issuer.subject else {
            return "its issuer is \"\(certificate.issuer)\", and the next certificate of the chain is \"\(issuer.subject)\""
        }
        if let expected = (try? certificate.extensions.authorityKeyIdentifier)?.keyIdentifier,
            let actual = (try? issuer.extensions.subjectKeyIdentifier)?.keyIdentifier, expected != actual
        {
            return "its authority key identifier is not that of \"\(issuer.subject)\""
        }
        guard certificate.signatureAlgorithm != .sha1WithRSAEncryption else { return "it is signed with SHA-1" }
        guard issuer.publicKey.isValidSignature(certificate.signature, for: certificate) else {
            return "its signature is not by the key of \"\(issuer.subject)\""
        }
        return nil
    }
}
