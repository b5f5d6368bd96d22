import CPKCS11
import Crypto
import Foundation
import Secrets
import Testing
import X509

@testable import Signing

@Suite("A token that goes away and comes back", .enabled(if: SoftToken.isInstalled, "softhsm2 and opensc are not installed"))
struct TokenReturnTests {
    static let now = Date()
    static let claim = Array("a claim".utf8)

    private func signer(_ token: SoftToken, _ algorithm: SigningAlgorithm) throws -> PKCS11Signer {
        try PKCS11Signer(
            module: SoftToken.module, tokenLabel: token.label, pin: Secret(token.pin), keyLabel: token.keyLabel,
            certificatesPEM: token.chain(algorithm, at: Self.now), at: Self.now)
    }

    private static func isUnavailable(_ error: SigningError?) -> Bool {
        if case .unavailable = error { true } else { false }
    }

    @Test("makes signing and readiness fail until it is back", arguments: [SigningAlgorithm.ed25519, .es256])
    func comesBack(_ algorithm: SigningAlgorithm) throws {
        let token = try SoftToken(algorithm == .ed25519 ? .ed25519 : .es256)
        let signer = try signer(token, algorithm)
        let uses: [() throws -> Void] = [{ try signer.check() }, { _ = try signer.sign(Self.claim) }]
        for checksFirst in [true, false] {
            try token.remove()
            for use in (checksFirst ? uses : uses.reversed()) + uses {
                let error = #expect(throws: SigningError.self) { try use() }
                #expect(Self.isUnavailable(error))
            }
            try token.putBack()
            if checksFirst { try signer.check() }
            #expect(signer.certificate.isValidSignature(try signer.sign(Self.claim), for: Self.claim))
            try signer.check()
        }
    }

    @Test("may be missing at the start")
    func comesLate() throws {
        let token = try SoftToken(.ed25519)
        let chain = try token.chain(.ed25519, at: Self.now)
        let make = {
            try PKCS11Signer(
                module: SoftToken.module, tokenLabel: token.label, pin: Secret(token.pin), keyLabel: token.keyLabel, certificatesPEM: chain,
                at: Self.now)
        }
        try token.remove()
        let error = #expect(throws: SigningError.self) { try make() }
        #expect(Self.isUnavailable(error))
        try token.putBack()
        try make().check()
    }

    @Test("does not disturb a signer on another token")
    func leavesOthers() throws {
        let (token, other) = (try SoftToken(.ed25519), try SoftToken(.es256))
        let (signer, neighbour) = (try signer(token, .ed25519), try signer(other, .es256))
        try token.remove()
        for _ in 0..<5 {
            #expect(throws: SigningError.self) { try signer.check() }
            try neighbour.check()
            _ = try neighbour.sign(Self.claim)
        }
        try token.putBack()
        try signer.check()
        try neighbour.check()
    }

    @Test("serves many threads before, during and after an outage")
    func servesThreads() async throws {
        let (token, other) = (try SoftToken(.ed25519), try SoftToken(.ed25519))
        let (signer, neighbour) = (try signer(token, .ed25519), try signer(other, .ed25519))
        let outcomes = try await withThrowingTaskGroup(of: (good: Int, away: Int).self) { group in
            for worker in 0..<8 {
                group.addTask {
                    let used = worker.isMultiple(of: 2) ? signer : neighbour
                    var (good, away) = (0, 0)
                    for turn in 0..<40 {
                        let claim = Array("claim \(worker) \(turn)".utf8)
                        do throws(SigningError) {
                            if used.certificate.isValidSignature(try used.sign(claim), for: claim) { good += 1 }
                        } catch {
                            // Only the signer of the removed token may fail.
                            guard used === signer, Self.isUnavailable(error) else { throw error }
                            away += 1
                        }
                        await Task.yield()
                    }
                    return (good, away)
                }
            }
            group.addTask {
                try token.remove()
                let error = #expect(throws: SigningError.self) { try signer.check() }
                #expect(Self.isUnavailable(error))
                try token.putBack()
                return (0, 0)
            }
            return try await group.reduce(into: (0, 0)) { $0 = ($0.0 + $1.good, $0.1 + $1.away) }
        }
        #expect(outcomes.0 + outcomes.1 == 320)
        #expect(outcomes.0 >= 160)
        try signer.check()
    }

    @Test("is not tried again with a PIN that it refused once, so that it is not locked")
    func stopsAtRefusedPIN() throws {
        let token = try SoftToken(.ed25519)
        let signer = try signer(token, .ed25519)
        try token.changePIN(to: "another-pin")
        // While logged in, the token does not check the PIN; after its return a new login is needed.
        try token.remove()
        #expect(throws: SigningError.self) { try signer.check() }
        try token.putBack()
        let refused = #expect(throws: SigningError.self) { try signer.check() }
        #expect(Self.isUnavailable(refused))
        #expect("\(String(describing: refused))".contains("refuses the PIN"), "\(String(describing: refused))")
        // The old PIN would now be accepted if it were tried: the module re-reads the token.
        try token.changePIN(from: "another-pin", to: token.pin)
        try PKCS11Module.load(SoftToken.module).run(renewing: true) { _ in }
        try PKCS11Signer(
            module: SoftToken.module, tokenLabel: token.label, pin: Secret(token.pin), keyLabel: token.keyLabel,
            certificatesPEM: signer.certificate.pem, at: Self.now
        ).check()
        try PKCS11Module.load(SoftToken.module).run(renewing: true) { _ in }
        let again = #expect(throws: SigningError.self) { try signer.check() }
        #expect(again == refused)
    }

    @Test("after its key is replaced, signs no claim with a key that is not the certificate's")
    func keyReplaced() throws {
        let token = try SoftToken(.ed25519)
        let signer = try signer(token, .ed25519)
        try token.deleteKey()
        try token.addKey(.ed25519)
        let error = #expect(throws: SigningError.self) { try signer.check() }
        guard case .unavailable(let text) = error else {
            Issue.record("not unavailable: \(String(describing: error))")
            return
        }
        #expect(text.hasSuffix("the token's key is not the certificate's: its signature does not verify"))
    }
}

@Suite("Point of a token's public key")
struct TokenPublicKeyTests {
    @Test("is read in all the forms that tokens give")
    func reads() {
        let edwards = Array(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation)
        let prime = Array(P256.Signing.PrivateKey().publicKey.x963Representation)
        for point in [edwards, [0x04, 0x20] + edwards, [0x03, 0x21, 0x00] + edwards] {
            #expect(TokenPublicKey.parse(point).flatMap { Curve25519.Signing.PublicKey($0) }.map { Array($0.rawRepresentation) } == edwards)
        }
        for point in [prime, [0x04, 0x41] + prime, [0x03, 0x42, 0x00] + prime] {
            #expect(TokenPublicKey.parse(point).flatMap { P256.Signing.PublicKey($0) }.map { Array($0.x963Representation) } == prime)
        }
    }

    @Test("is refused in any other")
    func refuses() {
        let off = [0x04] + [UInt8](repeating: 1, count: 64)
        for point in [[], [0x04], [UInt8](repeating: 0, count: 31), off, [0x04, 0x41] + off, [UInt8](repeating: 4, count: 200)] {
            #expect(TokenPublicKey.parse(point) == nil)
        }
    }
}
