import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@testable import Signing

@Suite("Development authority")
struct DevelopmentAuthorityTests {
    static let now = CertificateFixture.now

    @Test("makes a signer with the whole C2PA profile", arguments: SigningAlgorithm.allCases)
    func makes(_ algorithm: SigningAlgorithm) throws {
        let identity = try DevelopmentAuthority.make(algorithm: algorithm, now: Self.now)
        let chain = try PEMDocument.parseMultiple(pemString: identity.chainPEM).map { try Certificate(derEncoded: $0.derBytes) }
        let root = try Certificate(pemEncoded: identity.rootPEM)
        try #require(chain.count == 2)
        let leaf = chain[0]
        #expect(leaf.notValidAfter.timeIntervalSince(leaf.notValidBefore) == 365 * 86_400)
        #expect(root.notValidAfter.timeIntervalSince(root.notValidBefore) == 3_650 * 86_400)
        #expect(chain[1].notValidAfter.timeIntervalSince(chain[1].notValidBefore) == 1_825 * 86_400)
        #expect(Array(leaf.serialNumber.bytes).count == 16)
        #expect(leaf.extensions[oid: .X509ExtensionID.keyUsage]?.critical == true)
        #expect(try leaf.extensions.keyUsage == KeyUsage(digitalSignature: true, nonRepudiation: true))
        let purposes = try #require(try leaf.extensions.extendedKeyUsage)
        #expect(Array(purposes) == [CertificateFixture.claimSigning, .emailProtection])
        #expect(try leaf.extensions.subjectKeyIdentifier != nil)
        for (certificate, issuer) in zip([leaf, chain[1]], [chain[1], root]) {
            #expect(
                try certificate.extensions.authorityKeyIdentifier?.keyIdentifier == issuer.extensions.subjectKeyIdentifier?.keyIdentifier)
            #expect(issuer.publicKey.isValidSignature(certificate.signature, for: certificate))
        }
        #expect(leaf.subject.description.contains("O=rial."))
    }

    @Test("makes PEM that a signer accepts", arguments: SigningAlgorithm.allCases)
    func signs(_ algorithm: SigningAlgorithm) throws {
        let identity = try DevelopmentAuthority.make(algorithm: algorithm, now: Self.now)
        let signer = try PEMSigner(certificatesPEM: identity.chainPEM, privateKeyPEM: identity.privateKeyPEM, at: Self.now)
        #expect(signer.algorithm == algorithm)
        #expect(throws: Never.self) { try signer.check() }
    }

    @Test("makes a leaf with a given validity, under authorities that started with it")
    func makesOldLeaf() throws {
        let validity = DateInterval(start: Self.now.addingTimeInterval(-7_200), duration: 3_600)
        let identity = try DevelopmentAuthority.make(algorithm: .ed25519, leafValidity: validity, now: Self.now)
        let certificate = try SigningCertificate(pem: identity.chainPEM)
        #expect(certificate.notValidAfter == validity.end)
        #expect(throws: Never.self) { try certificate.check(at: validity.start) }
        #expect(throws: SigningError.self) { try certificate.check(at: Self.now) }
    }

    @Test("certifies a key made elsewhere, of either kind", arguments: SigningAlgorithm.allCases)
    func issues(_ algorithm: SigningAlgorithm) throws {
        let authority = try DevelopmentAuthority(algorithm: algorithm, validFrom: Self.now)
        for key in [
            Certificate.PublicKey(Curve25519.Signing.PrivateKey().publicKey), Certificate.PublicKey(P256.Signing.PrivateKey().publicKey),
        ] {
            let chain = try authority.issue(leafFor: key, validity: DevelopmentAuthority.year(from: Self.now))
            let certificate = try SigningCertificate(pem: chain)
            #expect(throws: Never.self) { try certificate.check(at: Self.now) }
            #expect(certificate.matches(publicKey: key))
        }
    }

    @Test("gives every certificate its own serial number")
    func serials() throws {
        let authority = try DevelopmentAuthority(algorithm: .ed25519, validFrom: Self.now)
        let key = Certificate.PublicKey(Curve25519.Signing.PrivateKey().publicKey)
        let chains = try (0..<50).map { _ in try authority.issue(leafFor: key, validity: DevelopmentAuthority.year(from: Self.now)) }
        let numbers = try chains.map { chain in
            try Certificate(derEncoded: #require(PEMDocument.parseMultiple(pemString: chain).first).derBytes).serialNumber
        }
        #expect(Set(numbers).count == 50)
    }
}
