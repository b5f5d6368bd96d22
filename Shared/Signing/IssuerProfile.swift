import X509

/// What the authorities above a leaf must look like, and how each vouches for the one below (RFC 5280 §6.1.3, §6.1.4).
enum IssuerProfile {
    /// - Parameter authoritiesBelow: authorities between this certificate and the leaf.
    static func flaw(of certificate: Certificate, authoritiesBelow: Int) -> String? {
        guard certificate.version == .v3 else { return "it is not an X.509 version 3 certificate" }
        if let flaw = CriticalExtensions.flaw(of: certificate) { return flaw }
        guard let constraints = try? certificate.extensions.basicConstraints, case .isCertificateAuthority(let limit) = constraints else {
            return "it stands in the chain as an authority and is none (CA:TRUE is missing)"
        }
        if let limit, authoritiesBelow > limit { return "its path length allows \(limit) authorities below it, not \(authoritiesBelow)" }
        guard let usage = try? certificate.extensions.keyUsage, usage.keyCertSign else { return "its key usage lacks keyCertSign" }
        return nil
    }

    /// What keeps `issuer` from vouching for `certificate`; `nil` where it does.
    static func flaw(ofLinkFrom certificate: Certificate, to issuer: Certificate) -> String? {
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
