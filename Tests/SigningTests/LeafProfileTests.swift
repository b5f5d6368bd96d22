import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@testable import Signing

@Suite("Leaf profile")
struct LeafProfileTests {
    struct Change: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let expected: String
        let change: @Sendable (inout CertificateFixture) -> Void
        init(_ description: String, expected: String = "", change: @escaping @Sendable (inout CertificateFixture) -> Void) {
            testDescription = description
            self.expected = expected
            self.change = change
        }
    }

    static let accepted = [
        Change("emailProtection") { $0.leafPurposes = [.emailProtection] },
        Change("documentSigning") { $0.leafPurposes = [CertificateFixture.documentSigning] },
        Change("claimSigning with emailProtection") { $0.leafPurposes = [CertificateFixture.claimSigning, .emailProtection] },
        Change("claimSigning with documentSigning") {
            $0.leafPurposes = [CertificateFixture.claimSigning, CertificateFixture.documentSigning]
        },
        Change("emailProtection with clientAuth") { $0.leafPurposes = [.emailProtection, .clientAuth] },
        Change("nonRepudiation beside digitalSignature") { $0.leafUsage = KeyUsage(digitalSignature: true, nonRepudiation: true) },
        Change("no basic constraints") { $0.leafConstraints = nil },
        Change("an unknown extension that is not critical") { $0.leafExtra = [CertificateFixture.unknownExtension(critical: false)] },
        Change("a P-256 key") { $0.leafKey = Certificate.PrivateKey(P256.Signing.PrivateKey()) },
        Change("an Ed25519 authority") { $0.issuingKey = Certificate.PrivateKey(Curve25519.Signing.PrivateKey()) },
        Change("a P-384 authority") { $0.issuingKey = Certificate.PrivateKey(P384.Signing.PrivateKey()) },
    ]

    @Test("accepts certificates that the C2PA library accepts", arguments: accepted)
    func accepts(_ change: Change) throws {
        var fixture = CertificateFixture()
        change.change(&fixture)
        let certificate = try SigningCertificate(pem: fixture.chain())
        #expect(throws: Never.self) { try certificate.check(at: CertificateFixture.now) }
    }

    static let refused = [
        Change("claimSigning alone", expected: "claimSigning alone") { $0.leafPurposes = [CertificateFixture.claimSigning] },
        Change("clientAuth alone", expected: "neither emailProtection nor documentSigning") { $0.leafPurposes = [.clientAuth] },
        Change("codeSigning alone", expected: "neither emailProtection nor documentSigning") { $0.leafPurposes = [.codeSigning] },
        Change("a private purpose alone", expected: "neither emailProtection nor documentSigning") {
            $0.leafPurposes = [.init(oid: [1, 3, 6, 1, 4, 1, 99999, 2])]
        },
        Change("any purpose", expected: "any purpose") { $0.leafPurposes = [.any] },
        Change("any purpose beside emailProtection", expected: "any purpose") { $0.leafPurposes = [.emailProtection, .any] },
        Change("timeStamping beside emailProtection", expected: "must stand alone") {
            $0.leafPurposes = [.emailProtection, .timeStamping]
        },
        Change("OCSPSigning beside emailProtection", expected: "must stand alone") {
            $0.leafPurposes = [.emailProtection, .ocspSigning]
        },
        Change("no extended key usage", expected: "no extended key usage") { $0.leafPurposes = nil },
        Change("no key usage", expected: "no key usage") { $0.leafUsage = nil },
        Change("nonRepudiation instead of digitalSignature", expected: "lacks digitalSignature") {
            $0.leafUsage = KeyUsage(nonRepudiation: true)
        },
        Change("keyCertSign", expected: "has keyCertSign") { $0.leafUsage = KeyUsage(digitalSignature: true, keyCertSign: true) },
        Change("CA:TRUE", expected: "CA:TRUE") { $0.leafConstraints = .isCertificateAuthority(maxPathLength: nil) },
        Change("no authority key identifier", expected: "no authority key identifier") { $0.leafAuthorityKey = .some(nil) },
        Change("an unknown critical extension", expected: "critical extension 1.3.6.1.4.1.99999.1") {
            $0.leafExtra = [CertificateFixture.unknownExtension(critical: true)]
        },
        Change("version 1", expected: "version 3") { $0.version = .v1 },
        Change("a subject that is its issuer", expected: "self-signed") { $0.leafSubject = $0.leafIssuer },
        Change("an expired leaf", expected: "expired on") {
            $0.leafValidity = DateInterval(start: CertificateFixture.now.addingTimeInterval(-60), duration: 59)
        },
        Change("a leaf of tomorrow", expected: "not valid before") {
            $0.leafValidity = DateInterval(start: CertificateFixture.now.addingTimeInterval(1), duration: 60)
        },
    ]

    @Test("refuses certificates that the library or we do not accept, naming the certificate and the defect", arguments: refused)
    func refuses(_ change: Change) throws {
        var fixture = CertificateFixture()
        change.change(&fixture)
        let certificate = try SigningCertificate(pem: fixture.chain())
        let error = #expect(throws: SigningError.self) { try certificate.check(at: CertificateFixture.now) }
        guard case .configuration(let text) = error else {
            Issue.record("not a configuration error: \(String(describing: error))")
            return
        }
        #expect(text.contains(change.expected))
        #expect(text.contains("\"\(fixture.leafSubject)\""))
    }

    @Test("refuses a key that is neither Ed25519 nor P-256")
    func refusesKey() throws {
        let fixture = CertificateFixture(leafKey: Certificate.PrivateKey(P384.Signing.PrivateKey()))
        let chain = try fixture.chain()
        #expect(throws: SigningError.configuration("certificate \"\(fixture.leafSubject)\": its key is neither Ed25519 nor P-256")) {
            try SigningCertificate(pem: chain)
        }
    }
}
