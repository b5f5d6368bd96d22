import CPKCS11
import Crypto
import Foundation
import Secrets
import Testing
import X509

@testable import Signing

@Suite("Signer with a key in a token", .enabled(if: SoftToken.isInstalled, "softhsm2 and opensc are not installed"))
struct PKCS11SignerTests {
    static let now = Date()
    static let claim = Array("a claim".utf8)

    private func signer(_ token: SoftToken, _ algorithm: SigningAlgorithm) throws -> PKCS11Signer {
        try signer(token, chain: token.chain(algorithm, at: Self.now))
    }

    private func signer(_ token: SoftToken, chain: String, pin: String? = nil, label: String? = nil, key: String? = nil) throws
        -> PKCS11Signer
    {
        try PKCS11Signer(
            module: SoftToken.module, tokenLabel: label ?? token.label, pin: Secret(pin ?? token.pin), keyLabel: key ?? token.keyLabel,
            certificatesPEM: chain, at: Self.now)
    }

    private static func text(_ error: SigningError?) -> String {
        switch error {
        case .configuration(let text): "configuration: " + text
        case .unavailable(let text): "unavailable: " + text
        case nil: "none"
        }
    }

    @Test("signs Ed25519")
    func signsEd25519() throws {
        let token = try SoftToken(.ed25519)
        let key = try #require(Curve25519.Signing.PublicKey(token.publicKey()))
        let signer = try signer(token, .ed25519)
        #expect(signer.algorithm == .ed25519)
        for size in [0, 1, 1_000, 100_000] {
            let claim = [UInt8](repeating: 7, count: size)
            #expect(key.isValidSignature(try signer.sign(claim), for: claim))
        }
        #expect(throws: Never.self) { try signer.check() }
    }

    @Test("signs P-256 as r ‖ s over SHA-256")
    func signsP256() throws {
        let token = try SoftToken(.es256)
        let key = try #require(P256.Signing.PublicKey(token.publicKey()))
        let signer = try signer(token, .es256)
        #expect(signer.algorithm == .es256)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: signer.sign(Self.claim))
        #expect(key.isValidSignature(signature, for: Data(Self.claim)))
        #expect(throws: Never.self) { try signer.check() }
    }

    @Test("cannot read the private key, which says that it never left the token", arguments: [SoftToken.KeyKind.ed25519, .es256])
    func cannotExtract(_ kind: SoftToken.KeyKind) throws {
        let token = try SoftToken(kind)
        let address = TokenAddress(tokenLabel: token.label, pin: Secret(token.pin), keyLabel: token.keyLabel)
        let module = try PKCS11Module.load(SoftToken.module)
        let (extractable, neverExtractable, failure) = try module.run(renewing: true) { library throws(TokenProblem) in
            let session = try TokenSession.open(address, for: kind == .ed25519 ? .ed25519 : .es256, in: library)
            defer { session.close(in: library) }
            let search = KeySearch(session: session.handle, library: library)
            let extractable = try search.flag(CKA_EXTRACTABLE, of: session.key)
            let never = try search.flag(CKA_NEVER_EXTRACTABLE, of: session.key)
            do throws(TokenProblem) {
                _ = try search.attribute(CKA_VALUE, of: session.key)
            } catch {
                guard case .failure(let failure) = error else { throw error }
                return (extractable, never, Optional(failure))
            }
            return (extractable, never, nil)
        }
        #expect(extractable == false)
        #expect(neverExtractable == true)
        #expect(failure == PKCS11Failure(function: "C_GetAttributeValue", code: CKR_ATTRIBUTE_SENSITIVE))
    }

    @Test("refuses a key that could leave the token")
    func refusesExtractable() throws {
        let token = try SoftToken(.ed25519, flags: ["--extractable"])
        let chain = try token.chain(.ed25519, at: Self.now)
        let error = #expect(throws: SigningError.self) { try self.signer(token, chain: chain) }
        #expect(Self.text(error).hasPrefix("configuration: the private key \"claims\" is extractable"))
    }

    @Test("refuses a wrong PIN without showing it")
    func refusesPIN() throws {
        let token = try SoftToken(.ed25519)
        let chain = try token.chain(.ed25519, at: Self.now)
        let error = #expect(throws: SigningError.self) { try self.signer(token, chain: chain, pin: "wrong-77") }
        #expect(Self.text(error).hasPrefix("configuration: the token refuses the PIN"))
        #expect(!Self.text(error).contains("wrong-77"))
    }

    @Test("accepts the right PIN after a wrong one that the token remembers")
    func acceptsPINAfterWrongOne() throws {
        let token = try SoftToken(.ed25519)
        let chain = try token.chain(.ed25519, at: Self.now)
        #expect(throws: SigningError.self) { try self.signer(token, chain: chain, pin: "wrong-77") }
        let flags = try PKCS11Module.load(SoftToken.module).run(renewing: false) { library throws(TokenProblem) in
            try TokenSearch(library: library).token(labelled: token.label).flags
        }
        #expect(flags & CK_FLAGS(CKF_USER_PIN_COUNT_LOW) != 0)
        try signer(token, chain: chain).check()
    }

    @Test("reports a missing token, which may still appear")
    func missesToken() throws {
        let token = try SoftToken(.ed25519)
        let chain = try token.chain(.ed25519, at: Self.now)
        let error = #expect(throws: SigningError.self) { try self.signer(token, chain: chain, label: "nobody's") }
        #expect(Self.text(error).hasPrefix("unavailable: there is no token \"nobody's\""))
        #expect(Self.text(error).contains(token.label))
    }

    @Test("refuses a token with no key or two keys of the name")
    func refusesKeyLabel() throws {
        let token = try SoftToken(.ed25519)
        let chain = try token.chain(.ed25519, at: Self.now)
        let error = #expect(throws: SigningError.self) { try self.signer(token, chain: chain, key: "other") }
        #expect(Self.text(error) == "configuration: the token holds no private key \"other\"")
        try token.addKey(.ed25519)
        let second = #expect(throws: SigningError.self) { try self.signer(token, chain: chain) }
        #expect(Self.text(second) == "configuration: the token holds several keys \"claims\"")
    }

    @Test("refuses a certificate for another key of the same kind")
    func refusesOtherCertificate() throws {
        let (token, other) = (try SoftToken(.ed25519), try SoftToken(.ed25519))
        let chain = try other.chain(.ed25519, at: Self.now)
        let error = #expect(throws: SigningError.self) { try self.signer(token, chain: chain) }
        #expect(Self.text(error).hasPrefix("configuration: the token's key is not the certificate's"))
    }

    @Test("refuses a certificate for a key of another kind")
    func refusesOtherKind() throws {
        let (edwards, prime) = (try SoftToken(.ed25519), try SoftToken(.es256))
        for (token, other, algorithm) in [(edwards, prime, SigningAlgorithm.es256), (prime, edwards, .ed25519)] {
            let chain = try other.chain(algorithm, at: Self.now)
            let error = #expect(throws: SigningError.self) { try self.signer(token, chain: chain) }
            #expect(Self.text(error).hasPrefix("configuration: the private key \"claims\" is not of the certificate's type"))
        }
    }

    @Test("refuses an expired chain before it touches the token")
    func refusesExpired() throws {
        let identity = try DevelopmentAuthority.make(
            algorithm: .ed25519, leafValidity: DateInterval(start: Self.now.addingTimeInterval(-60), duration: 30), now: Self.now)
        let error = #expect(throws: SigningError.self) {
            try PKCS11Signer(
                module: "/nowhere", tokenLabel: "x", pin: Secret("x"), keyLabel: "x", certificatesPEM: identity.chainPEM, at: Self.now)
        }
        #expect(Self.text(error).contains("expired on"))
    }

    @Test("refuses a file that is not a PKCS#11 module", arguments: ["/nowhere/module.so", "/dev/null", "libm.so.6", ""])
    func refusesModule(_ path: String) throws {
        let identity = try DevelopmentAuthority.make(algorithm: .ed25519, now: Self.now)
        let error = #expect(throws: SigningError.self) {
            try PKCS11Signer(
                module: path, tokenLabel: "x", pin: Secret("x"), keyLabel: "x", certificatesPEM: identity.chainPEM, at: Self.now)
        }
        #expect(Self.text(error).hasPrefix("configuration: "), "\(Self.text(error))")
    }

    @Test("loads a module once, also under another path")
    func loadsOnce() throws {
        let target = URL(filePath: SoftToken.module).resolvingSymlinksInPath().path
        try #require(target != SoftToken.module)
        #expect(try PKCS11Module.load(SoftToken.module) === PKCS11Module.load(target))
    }

    @Test("does not show the PIN when printed or dumped")
    func hidesPIN() throws {
        let token = try SoftToken(.ed25519)
        let signer = try signer(token, .ed25519)
        var text = "\(signer) \(String(reflecting: signer))"
        dump(signer, to: &text)
        #expect(text.contains(token.label))
        #expect(!text.contains(token.pin))
    }
}
