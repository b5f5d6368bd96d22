import Blocking
import Foundation
import Models
import Signing
import Testing

@testable import ContentCredentials

@Suite("Refused signing")
struct RefusedSigningTests {
    @Test("refuses a key that is not the certificate's")
    func impostor() throws {
        let fixture = try Fixture()
        let signer = ImpostorSigner(owner: fixture.signer, stranger: try Fixture().signer)
        #expect(throws: CredentialError.refused("Signature: the signature does not match the provided data or public key")) {
            try fixture.sign(by: signer)
        }
    }

    @Test("passes on the signer's error", arguments: [SigningError.unavailable("token is away"), .configuration("no such key")])
    func reason(failure: SigningError) throws {
        let fixture = try Fixture()
        let signer = ScriptedSigner(owner: fixture.signer, answer: .failure(failure))
        #expect(throws: CredentialError.signer(failure)) { try fixture.sign(by: signer) }
    }

    @Test("survives signatures of any length", arguments: [0, 1, 63, 65, 100_000])
    func length(count: Int) throws {
        let fixture = try Fixture()
        let signer = ScriptedSigner(owner: fixture.signer, answer: .success([UInt8](repeating: 7, count: count)))
        #expect(throws: CredentialError.self) { try fixture.sign(by: signer) }
    }

    @Test("refuses a certificate that has expired")
    func expired() throws {
        let validity = DateInterval(start: .now.addingTimeInterval(-7_200), duration: 3_600)
        let identity = try DevelopmentAuthority.make(algorithm: .ed25519, leafValidity: validity, now: .now)
        let signer = try PEMSigner(
            certificatesPEM: identity.chainPEM, privateKeyPEM: identity.privateKeyPEM, at: .now.addingTimeInterval(-5_400))
        #expect(throws: CredentialError.refused("Signature: the certificate was not valid at time of signing")) {
            try Fixture().sign(by: signer)
        }
    }

    @Test("refuses anything but a JPEG", arguments: [[], [0xff, 0xd8], Array("GIF89a".utf8), [UInt8](repeating: 0, count: 5_000)])
    func noPhoto(bytes: [UInt8]) throws {
        #expect(throws: CredentialError.self) { try Fixture().sign(bytes) }
    }

    @Test(
        "tells a disk that fails from media that cannot be read",
        arguments: [
            ("Io: No space left on device (os error 28)", true),
            (#"Io: No such file or directory (os error 2) at path "/nowhere""#, true),
            ("Io: failed to fill whole buffer", false), ("Io: Invalid argument (os error 22)", false),
            ("Other: asset could not be parsed: JPEG write error", false),
            ("Other: of another name (os error 2)", false), ("Other: unknown error", false),
        ])
    func disk(text: String, isOfSystem: Bool) {
        #expect(LibraryError(text: text).isOfSystem == isOfSystem)
    }

    @Test("knows what is so large that the library lays its copy on the disk")
    func large() {
        #expect(CredentialWriter.isLaidOnDisk(16 << 20) && CredentialWriter.isLaidOnDisk(100 << 20))
        #expect(!CredentialWriter.isLaidOnDisk(15 << 20) && !CredentialWriter.isLaidOnDisk(0))
    }

    @Test("refuses numbers that JSON cannot hold")
    func infinite() throws {
        let fixture = try Fixture()
        var evidence = Fixture.evidence()
        evidence.depthAnalysis.maxDepth = .infinity
        let writer = try CredentialWriter(signer: fixture.signer, timestampAuthority: nil)
        #expect(throws: CredentialError.refused("the claim cannot be written as JSON")) {
            try writer.sign(fixture.claim(evidence), photo: fixture.photo)
        }
    }

    @Test("refuses a copy that is larger than there is room for")
    func room() throws {
        let fixture = try Fixture()
        let writer = try CredentialWriter(signer: fixture.signer, timestampAuthority: nil)
        let needed = try writer.sign(fixture.claim(), photo: fixture.photo).bytes.count - fixture.photo.count
        let error = #expect(throws: CredentialError.self) {
            try writer.sign(fixture.claim(), photo: fixture.photo, room: needed / 2)
        }
        guard case .refused = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(throws: Never.self) { try writer.sign(fixture.claim(), photo: fixture.photo, room: needed + 1024) }
    }

    @Test("refuses an authority's address that is not HTTP", arguments: ["ftp://127.0.0.1/", "file:///etc/passwd", "tsa.example"])
    func authority(address: String) throws {
        let signer = try Fixture().signer
        let url = try #require(URL(string: address))
        #expect(throws: CredentialError.self) { try CredentialWriter(signer: signer, timestampAuthority: url) }
    }

    @Test("refuses anchors that are no certificates")
    func anchors() {
        #expect(throws: CredentialError.self) { try CredentialReader(trustAnchorsPEM: "not PEM") }
        #expect(throws: CredentialError.self) { try CredentialReader(trustAnchorsPEM: nil, timestampAnchorsPEM: "not PEM") }
    }
}
