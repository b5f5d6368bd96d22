import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@testable import Signing

@Suite("Certificate chain of a signer")
struct SigningCertificateTests {
    static let broken = [
        LeafProfileTests.Change("an authority's namesake", expected: "its signature is not by the key") {
            $0.signsLeaf = Certificate.PrivateKey(P256.Signing.PrivateKey())
        },
        .init("another issuer", expected: "its issuer is") { $0.leafIssuer = CertificateFixture.name("Somebody") },
        .init("another authority key identifier", expected: "authority key identifier is not that of") { $0.leafAuthorityKey = [1, 2, 3] },
        .init("an issuer that is no authority", expected: "is not one") { $0.issuingConstraints = .notCertificateAuthority },
        .init("an issuer without keyCertSign", expected: "lacks keyCertSign") { $0.issuingUsage = KeyUsage(digitalSignature: true) },
        .init("an issuer without key usage", expected: "lacks keyCertSign") { $0.issuingUsage = nil },
        .init("an issuer with an unknown critical extension", expected: "critical extension") {
            $0.issuingExtra = [CertificateFixture.unknownExtension(critical: true)]
        },
        .init("an expired issuer", expected: "expired on") {
            $0.issuingValidity = DateInterval(start: CertificateFixture.now.addingTimeInterval(-60), duration: 59)
        },
        .init("an issuer of tomorrow", expected: "not valid before") {
            $0.issuingValidity = DateInterval(start: CertificateFixture.now.addingTimeInterval(60), duration: 60)
        },
    ]

    @Test("is refused with", arguments: broken)
    func refuses(_ change: LeafProfileTests.Change) throws {
        var fixture = CertificateFixture()
        change.change(&fixture)
        let certificate = try SigningCertificate(pem: fixture.chain())
        let error = #expect(throws: SigningError.self) { try certificate.check(at: CertificateFixture.now) }
        #expect("\(String(describing: error))".contains(change.expected), "\(String(describing: error))")
    }

    @Test("names the organization that readers of the credentials show")
    func organization() throws {
        #expect(try SigningCertificate(pem: CertificateFixture().chain()).organization == "Test")
    }

    @Test("is refused out of order")
    func refusesOrder() throws {
        let fixture = CertificateFixture(leafKey: Certificate.PrivateKey(P256.Signing.PrivateKey()))
        let certificate = try SigningCertificate(pem: CertificateFixture.pem([fixture.issuing(), fixture.leaf()]))
        #expect(throws: SigningError.self) { try certificate.check(at: CertificateFixture.now) }
    }

    @Test("is refused when a path length is exceeded")
    func refusesPathLength() throws {
        let upper = CertificateFixture()
        // The lower authority is certified by one whose path length constraint allows only leaves.
        var lower = CertificateFixture()
        lower.leafSubject = CertificateFixture.name("Lower")
        lower.leafKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
        lower.leafConstraints = .isCertificateAuthority(maxPathLength: 0)
        lower.leafUsage = KeyUsage(keyCertSign: true)
        lower.leafPurposes = nil
        lower.issuingKey = upper.issuingKey
        var bottom = CertificateFixture()
        bottom.issuingKey = lower.leafKey
        bottom.leafIssuer = lower.leafSubject
        let chain = try [bottom.leaf(), lower.leaf(), upper.issuing()]
        let certificate = try SigningCertificate(pem: CertificateFixture.pem(chain))
        let error = #expect(throws: SigningError.self) { try certificate.check(at: CertificateFixture.now) }
        #expect("\(String(describing: error))".contains("path length allows 0"), "\(String(describing: error))")
    }

    @Test("is refused without its intermediate")
    func refusesGap() throws {
        let fixture = CertificateFixture()
        let other = CertificateFixture()
        let certificate = try SigningCertificate(pem: CertificateFixture.pem([fixture.leaf(), other.issuing()]))
        #expect(throws: SigningError.self) { try certificate.check(at: CertificateFixture.now) }
    }

    @Test("is valid from the first to the last moment of its validity, and not outside")
    func comparesTime() throws {
        let fixture = CertificateFixture()
        let certificate = try SigningCertificate(pem: fixture.chain())
        let validity = fixture.leafValidity
        #expect(throws: Never.self) { try certificate.check(at: validity.start) }
        #expect(throws: Never.self) { try certificate.check(at: validity.end) }
        #expect(throws: SigningError.self) { try certificate.check(at: validity.start.addingTimeInterval(-1)) }
        #expect(throws: SigningError.self) { try certificate.check(at: validity.end.addingTimeInterval(1)) }
    }

    @Test("ends with the first of its certificates")
    func earliestEnd() throws {
        var fixture = CertificateFixture()
        #expect(try SigningCertificate(pem: fixture.chain()).notValidAfter == fixture.leafValidity.end)
        fixture.issuingValidity = DateInterval(start: fixture.issuingValidity.start, end: CertificateFixture.now.addingTimeInterval(60))
        #expect(try SigningCertificate(pem: fixture.chain()).notValidAfter == CertificateFixture.now.addingTimeInterval(60))
    }

    @Test("leaves the root out")
    func dropsRoot() throws {
        let fixture = CertificateFixture()
        let (leaf, issuing) = (try fixture.leaf(), try fixture.issuing())
        let certificate = try SigningCertificate(pem: CertificateFixture.pem([leaf, issuing, fixture.root()]))
        #expect(throws: Never.self) { try certificate.check(at: CertificateFixture.now) }
        #expect(try certificate.pem == CertificateFixture.pem([leaf, issuing]))
    }

    @Test("knows its leaf's key and fingerprint")
    func knowsLeaf() throws {
        let fixture = CertificateFixture()
        let leaf = try fixture.leaf()
        let certificate = try SigningCertificate(pem: CertificateFixture.pem([leaf]))
        let der = try Data(leaf.serializeAsPEM().derBytes)
        #expect(certificate.leafFingerprint == SHA256.hash(data: der).map { String(format: "%02x", $0) }.joined())
        #expect(certificate.algorithm == .ed25519)
        #expect(certificate.matches(publicKey: fixture.leafKey.publicKey))
        #expect(!certificate.matches(publicKey: fixture.issuingKey.publicKey))
    }

    @Test("is not read from other text")
    func refusesText() throws {
        let fixture = CertificateFixture()
        let leaf = try CertificateFixture.pem([fixture.leaf()])
        let damaged = "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n"
        let many = String(repeating: leaf, count: 9)
        let key = try fixture.leafKey.serializeAsPEM().pemString
        for text in ["", "garbage", damaged, leaf + damaged, many, String(repeating: leaf, count: 1_000), leaf + key, key] {
            let error = #expect(throws: SigningError.self) { try SigningCertificate(pem: text) }
            guard case .configuration(let message) = error else {
                Issue.record("not a configuration error: \(String(describing: error))")
                continue
            }
            #expect(message.count < 200)
        }
    }
}
