import SwiftASN1
import X509

extension SigningCertificate {
    /// Who the leaf is for, as readers of Content Credentials show it: the subject's organization, else its common name; `nil` without
    /// either.
    public var organization: String? {
        guard let subject = certificates.first?.subject else { return nil }
        let attributes = subject.flatMap { Array($0) }
        for type in [ASN1ObjectIdentifier.RDNAttributeType.organizationName, .RDNAttributeType.commonName] {
            if let value = attributes.first(where: { $0.type == type }).flatMap({ String($0.value) }), !value.isEmpty { return value }
        }
        return nil
    }
}
