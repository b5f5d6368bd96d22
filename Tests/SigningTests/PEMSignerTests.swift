import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@testable import Signing

@Suite("Signer with a key from a file")
struct PEMSignerTests {
    static let now = CertificateFixture.now
    static let claim = Array("a claim".utf8)

    private func signer(_ fixture: CertificateFixture) throws -> PEMSigner {
        try PEMSigner(certificatesPEM: fixture.chain(), privateKeyPEM: fixture.leafKey.serializeAsPEM().pemString, at: Self.now)
    }

    @Test("signs Ed25519 over the bytes as they are")
    func signsEd25519() throws {
        let key = Curve25519.Signing.PrivateKey()
        let fixture = CertificateFixture(leafKey: Certificate.PrivateKey(key))
        let signer = try signer(fixture)
        let signature = try signer.sign(Self.claim)
        #expect(signature.count == 64)
        #expect(key.publicKey.isValidSignature(signature, for: Self.claim))
        #expect(!key.publicKey.isValidSignature(signature, for: Self.claim + [0]))
        #expect(throws: Never.self) { try signer.check() }
    }

    @Test("signs P-256 as r ‖ s, with the key in PKCS#8, SEC 1, and SEC 1 after its parameters")
    func signsP256() throws {
        let key = P256.Signing.PrivateKey()
        let fixture = CertificateFixture(leafKey: Certificate.PrivateKey(key))
        let chain = try fixture.chain()
        let sec1 = PEMDocument(type: "EC PRIVATE KEY", derBytes: Self.sec1(key)).pemString
        let curve: [UInt8] = [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
        let parameters = PEMDocument(type: "EC PARAMETERS", derBytes: curve).pemString
        for pem in [key.pemRepresentation, sec1, parameters + "\n" + sec1] {
            let signer = try PEMSigner(certificatesPEM: chain, privateKeyPEM: pem, at: Self.now)
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: signer.sign(Self.claim))
            #expect(key.publicKey.isValidSignature(signature, for: Data(Self.claim)))
        }
    }

    @Test("refuses a key that is not the certificate's")
    func refusesOtherKey() throws {
        let chain = try CertificateFixture().chain()
        let others = [
            Certificate.PrivateKey(Curve25519.Signing.PrivateKey()), Certificate.PrivateKey(P256.Signing.PrivateKey()),
            Certificate.PrivateKey(P384.Signing.PrivateKey()),
        ]
        for other in others {
            #expect(throws: SigningError.configuration("the private key does not belong to the signer's certificate")) {
                try PEMSigner(certificatesPEM: chain, privateKeyPEM: other.serializeAsPEM().pemString, at: Self.now)
            }
        }
    }

    @Test("refuses a chain with the wrong profile or an expired certificate")
    func refusesChain() throws {
        var fixture = CertificateFixture()
        let key = try fixture.leafKey.serializeAsPEM().pemString
        let chain = try fixture.chain()
        #expect(throws: SigningError.self) {
            try PEMSigner(certificatesPEM: chain, privateKeyPEM: key, at: Self.now.addingTimeInterval(90_000))
        }
        fixture.leafPurposes = [.serverAuth]
        let unfit = try fixture.chain()
        #expect(throws: SigningError.self) { try PEMSigner(certificatesPEM: unfit, privateKeyPEM: key, at: Self.now) }
    }

    @Test("does not show the key when printed or dumped")
    func hidesKey() throws {
        let key = Curve25519.Signing.PrivateKey()
        let fixture = CertificateFixture(leafKey: Certificate.PrivateKey(key))
        let signer = try signer(fixture)
        var text = "\(signer) \(String(reflecting: signer))"
        dump(signer, to: &text)
        #expect(text.contains(signer.certificate.leafFingerprint))
        let numbers = key.rawRepresentation.map { "\($0)" }
        #expect(!text.contains(numbers.joined(separator: ", ")))
        #expect(!text.contains("PrivateKey"))
    }

    @Test("refuses anything but a single unencrypted key, without quoting it")
    func refusesText() throws {
        let fixture = CertificateFixture()
        let chain = try fixture.chain()
        let key = try fixture.leafKey.serializeAsPEM()
        let text = key.pemString
        let secret = Data(key.derBytes).base64EncodedString()
        let encrypted = PEMDocument(type: "ENCRYPTED PRIVATE KEY", derBytes: key.derBytes).pemString
        let damaged = PEMDocument(type: "PRIVATE KEY", derBytes: Array(key.derBytes.dropLast(3))).pemString
        let relabelled = PEMDocument(type: "EC PRIVATE KEY", derBytes: key.derBytes).pemString
        let large = String(repeating: text, count: 1_000)
        for pem in ["", "garbage", chain, encrypted, damaged, relabelled, text + "\n" + text, secret, large] {
            let error = #expect(throws: SigningError.self) { try PEMSigner(certificatesPEM: chain, privateKeyPEM: pem, at: Self.now) }
            guard case .configuration(let message) = error else {
                Issue.record("not a configuration error: \(String(describing: error))")
                continue
            }
            #expect(!message.contains(secret.prefix(24)))
        }
    }

    /// ECPrivateKey (RFC 5915 §3) without the public key.
    private static func sec1(_ key: P256.Signing.PrivateKey) -> [UInt8] {
        let curve: [UInt8] = [0xa0, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
        return [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20] + Array(key.rawRepresentation) + curve
    }
}
