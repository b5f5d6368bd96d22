import Crypto
import Foundation
import SwiftASN1
import Synchronization
import X509

/// Validates the two certificates of an attestation (RFC 5280 §6.1, as far as Apple's profile needs it).
///
/// A TLS library's general policy does not fit: a genuine leaf has neither an authority key identifier nor revocation pointers. Nearly all
/// attestations have the same intermediate, so its signature is verified once and cached by its exact bytes; its validity period is checked
/// each time.
final class CertificateChain: Sendable {
    static let maximumRemembered = 16
    private struct Intermediate: Sendable {
        let certificate: Certificate
        let root: TrustRoots.Root
    }
    private let roots: TrustRoots
    private let needsKeyUsage: Bool
    private let remembered = Mutex<[[UInt8]: Intermediate]>([:])

    /// - Parameter needsKeyUsage: whether an intermediate has to say that it may sign certificates, as Apple's does; else it is enough that
    ///   it does not say otherwise (RFC 5280 §6.1.4 (n)).
    init(roots: TrustRoots, needsKeyUsage: Bool = true) {
        self.roots = roots
        self.needsKeyUsage = needsKeyUsage
    }

    struct Validated {
        let leaf: Certificate
        let isDevelopmentRoot: Bool
    }

    /// - Parameters:
    ///   - certificates: leaf and intermediate, DER.
    ///   - time: when all have to be valid; `nil` if it is enough that there was such a time.
    func validate(_ certificates: [ArraySlice<UInt8>], at time: Date?) throws(AttestationFailure) -> Validated {
        guard certificates.count == 2 else { throw .certificateChain }
        guard let leaf = try? Certificate(derEncoded: certificates[0]) else { throw .certificateMalformed }
        let intermediate = try trusted(Array(certificates[1]))
        guard Self.isSoundLeaf(leaf), Self.isSigned(leaf, by: intermediate.certificate) else { throw .certificateChain }
        let chain = [leaf, intermediate.certificate, intermediate.root.certificate]
        let time = time ?? chain.map(\.notValidBefore).max() ?? leaf.notValidBefore
        for certificate in chain {
            guard certificate.notValidBefore <= time, time <= certificate.notValidAfter else { throw .certificateExpired }
        }
        return Validated(leaf: leaf, isDevelopmentRoot: intermediate.root.isDevelopment)
    }

    private func trusted(_ der: [UInt8]) throws(AttestationFailure) -> Intermediate {
        if let known = remembered.withLock({ $0[der] }) { return known }
        guard let certificate = try? Certificate(derEncoded: der) else { throw .certificateMalformed }
        guard isSoundAuthority(certificate),
            let root = roots.roots.first(where: { Self.isSigned(certificate, by: $0.certificate) })
        else { throw .certificateChain }
        let intermediate = Intermediate(certificate: certificate, root: root)
        remembered.withLock { cache in
            if cache.count < Self.maximumRemembered { cache[der] = intermediate }
        }
        return intermediate
    }

    private static func isSigned(_ certificate: Certificate, by issuer: Certificate) -> Bool {
        let algorithms: [Certificate.SignatureAlgorithm] = [.ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512]
        return certificate.issuer == issuer.subject && algorithms.contains(certificate.signatureAlgorithm)
            && issuer.publicKey.isValidSignature(certificate.signature, for: certificate)
    }

    /// RFC 5280 §4.2.1.9 and §4.2.1.3: CA, and allowed to sign certificates.
    private func isSoundAuthority(_ certificate: Certificate) -> Bool {
        guard Self.hasOnlyKnownCriticalExtensions(certificate), let constraints = try? certificate.extensions.basicConstraints,
            case .isCertificateAuthority = constraints
        else { return false }
        guard certificate.extensions[oid: .X509ExtensionID.keyUsage] != nil else { return !needsKeyUsage }
        return (try? certificate.extensions.keyUsage)?.keyCertSign ?? false
    }

    private static func isSoundLeaf(_ certificate: Certificate) -> Bool {
        guard hasOnlyKnownCriticalExtensions(certificate), let constraints = try? certificate.extensions.basicConstraints else {
            return false
        }
        if case .isCertificateAuthority = constraints { return false }
        return true
    }

    private static func hasOnlyKnownCriticalExtensions(_ certificate: Certificate) -> Bool {
        let known: [ASN1ObjectIdentifier] = [.X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage]
        return certificate.extensions.allSatisfy { !$0.critical || known.contains($0.oid) }
    }
}

/// Reads the nonce from the leaf's extension.
enum NonceExtension {
    static let identifier: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 2]

    /// The value of exactly `SEQUENCE { [1] EXPLICIT OCTET STRING (32) }`; `nil` otherwise.
    static func read(_ certificate: Certificate) -> ArraySlice<UInt8>? {
        guard let value = certificate.extensions[oid: identifier]?.value, let root = try? DER.parse(value) else { return nil }
        let nonce = try? DER.sequence(root, identifier: .sequence) { nodes in
            try DER.explicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) { node in
                try ASN1OctetString(derEncoded: node).bytes
            }
        }
        return nonce?.count == 32 ? nonce : nil
    }
}
