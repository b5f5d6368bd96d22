import Foundation
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

/// The certificates at which a time-stamp authority's chain may end.
public struct TimestampAnchors: Sendable {
    private let certificates: [Certificate]

    /// Reads every certificate of a PEM text.
    /// - Throws: ``BundleError`` if there is none, or something else among them.
    public init(pem: String) throws(BundleError) {
        let certificates = try? PEMDocument.parseMultiple(pemString: pem).map { try Certificate(pemDocument: $0) }
        guard let certificates, !certificates.isEmpty else { throw BundleError(.timestamp, "the anchors are not certificates in PEM") }
        self.certificates = certificates
    }

    /// Whether a chain leads from the signer to an anchor, all of it valid at that time.
    func vouch(for signer: Certificate, among others: [Certificate], at time: Date) async -> Bool {
        var verifier = Verifier(rootCertificates: CertificateStore(certificates)) {
            RFC5280Policy(fixedExpiryValidationTime: time)
            TimestampPolicy()
        }
        let result = await verifier.validate(leaf: signer, intermediates: CertificateStore(others))
        if case .validCertificate = result { return true }
        return false
    }
}

/// The signer's key is for time stamps and nothing else (RFC 3161 §2.3).
struct TimestampPolicy: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [.X509ExtensionID.extendedKeyUsage]

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        Self.isForTimestamps(chain.leaf) ? .meetsPolicy : .failsToMeetPolicy(reason: "the certificate is not for time stamps alone")
    }

    static func isForTimestamps(_ certificate: Certificate) -> Bool {
        guard let usage = certificate.extensions[oid: .X509ExtensionID.extendedKeyUsage], usage.critical,
            let purposes = try? ExtendedKeyUsage(usage)
        else { return false }
        return purposes.elementsEqual([.timeStamping])
    }
}
