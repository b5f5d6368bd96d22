import Foundation
import Signing
import Testing

@testable import EvidenceAssembler

@Suite("The readiness probe of the signer")
struct SignerProbeTests {
    private static let start = Date(timeIntervalSince1970: 1_795_240_800)

    /// A key that may be away.
    private struct Key: ClaimSigner {
        let algorithm = SigningAlgorithm.ed25519
        let certificateChainPEM = ""
        let isAway: Bool

        func sign(_ bytes: [UInt8]) throws(SigningError) -> [UInt8] { throw .unavailable("never asked") }
        func check() throws(SigningError) { if isAway { throw .unavailable("away") } }
    }

    @Test(
        "is sound while the key answers and the certificate is valid",
        arguments: [(false, 1.0, true), (true, 1.0, false), (false, 366.0, false)])
    func sound(isAway: Bool, days: Double, isSound: Bool) async throws {
        let certificate = try SigningCertificate(pem: DevelopmentAuthority.make(algorithm: .ed25519, now: Self.start).chainPEM)
        let probe = SignerProbe(signer: Key(isAway: isAway), certificate: certificate)
        #expect(await probe.isSound(at: Self.start.addingTimeInterval(days * 86_400)) == isSound)
    }
}
