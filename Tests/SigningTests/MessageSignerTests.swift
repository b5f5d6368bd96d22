import Crypto
import Foundation
import Secrets
import SwiftASN1
import Testing
import X509

@testable import Signing

@Suite("Keys without a certificate")
struct MessageSignerTests {
    static let message = Array("a checkpoint\n".utf8)

    private func expectSigns(_ signer: any MessageSigner) throws {
        let signature = try signer.sign(Self.message)
        let key = try Curve25519.Signing.PublicKey(rawRepresentation: signer.publicKey)
        #expect(signature.count == 64 && key.isValidSignature(signature, for: Self.message))
        #expect(!key.isValidSignature(signature, for: Self.message + [0]))
    }

    @Test("a new key signs, and is read again as the same")
    func new() throws {
        let text = try PEMMessageSigner.newKey()
        let signer = try PEMMessageSigner(privateKeyPEM: text)
        try expectSigns(signer)
        #expect(try PEMMessageSigner(privateKeyPEM: text).publicKey == signer.publicKey)
        #expect(try PEMMessageSigner(privateKeyPEM: PEMMessageSigner.newKey()).publicKey != signer.publicKey)
        let document = try Certificate.PublicKey(Curve25519.Signing.PublicKey(rawRepresentation: signer.publicKey)).serializeAsPEM()
        #expect(try PEMMessageSigner.publicKey(pem: document.pemString) == signer.publicKey)
    }

    @Test("what is no Ed25519 key is refused")
    func refuses() throws {
        let other = try Certificate.PrivateKey(P256.Signing.PrivateKey()).serializeAsPEM().pemString
        for text in ["", "anything", other, other.replacing("PRIVATE KEY", with: "ENCRYPTED PRIVATE KEY")] {
            #expect(throws: SigningError.self) { try PEMMessageSigner(privateKeyPEM: text) }
            #expect(throws: SigningError.self) { try PEMMessageSigner.publicKey(pem: text) }
        }
    }

    @Test("the key is in no dump")
    func dumped() throws {
        var text = ""
        dump(try PEMMessageSigner(privateKeyPEM: try PEMMessageSigner.newKey()), to: &text)
        #expect(text.contains("publicKey") && !text.contains("PrivateKey"))
    }

    @Test("nor is a token's PIN in one of where its key is")
    func dumpedAddress() {
        let address = TokenAddress(tokenLabel: "vault", pin: Secret("hunter2"), keyLabel: "log")
        var text = "\(address) \(String(reflecting: address))"
        dump(address, to: &text)
        #expect(text.contains("vault") && text.contains("pin: (secret)") && !text.contains("hunter2"))
    }

    @Test("a token's key signs", .enabled(if: SoftToken.isInstalled, "softhsm2 and opensc are not installed"))
    func token() throws {
        let token = try SoftToken(.ed25519)
        let signer = try PKCS11MessageSigner(
            module: SoftToken.module, tokenLabel: token.label, pin: Secret(token.pin), keyLabel: token.keyLabel)
        #expect(try signer.publicKey == Array(#require(Curve25519.Signing.PublicKey(token.publicKey())).rawRepresentation))
        try expectSigns(signer)
        let other = try SoftToken(.es256)
        #expect(throws: SigningError.self) {
            try PKCS11MessageSigner(module: SoftToken.module, tokenLabel: other.label, pin: Secret(other.pin), keyLabel: other.keyLabel)
        }
    }
}
