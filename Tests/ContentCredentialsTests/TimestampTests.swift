import Models
import CaptureProtocol
import Foundation
import Signing
import Blocking
import Testing
import TestSupport

@testable import ContentCredentials

@Suite("Time stamps")
struct TimestampTests {
    @Test(
        "keep a copy valid after the certificate has expired; without one it does not stay so",
        .enabled(if: TimestampAuthority.isPresent, "openssl is missing"))
    func expiry() async throws {
        let authority = try TimestampAuthority()
        // Certificates expire at whole seconds.
        let end = Date(timeIntervalSince1970: Date.now.timeIntervalSince1970.rounded(.down) + 10)
        let fixture = try Fixture(leafValidity: DateInterval(start: .now.addingTimeInterval(-60), end: end))
        let stamped = try fixture.sign(timestampAuthority: authority.url)
        let bare = try fixture.sign()
        #expect(stamped.result.hasTimestamp && !bare.result.hasTimestamp)
        #expect(authority.requests == 1)
        #expect(try fixture.read(stamped.copy, timestampAnchors: authority.rootPEM).state == .trusted)
        #expect(try fixture.read(bare.copy, timestampAnchors: authority.rootPEM).state == .trusted)

        // The library includes the last second of the validity.
        while Date.now < end.addingTimeInterval(1) { try await Task.sleep(for: .milliseconds(100)) }
        let late = try fixture.read(stamped.copy, timestampAnchors: authority.rootPEM)
        #expect(late.state == .trusted)
        let signedAt = try #require(late.signedAt.flatMap(Timestamp.parse))
        #expect(signedAt < end && signedAt > end.addingTimeInterval(-120))
        let expired = try fixture.read(bare.copy, timestampAnchors: authority.rootPEM)
        #expect(expired.state == .invalid)
        #expect(expired.validationCodes.contains { $0.code == "signingCredential.expired" && $0.kind == .failure })
        let untrustedTime = try fixture.read(stamped.copy)
        #expect(untrustedTime.state == .invalid, "a time that nobody vouches for counts for nothing")
        #expect(untrustedTime.signedAt == nil)
        #expect(untrustedTime.validationCodes.contains { $0.code == "timeStamp.untrusted" })
    }

    @Test(
        "count only where an anchor for times vouches for them, and never on claims of version 1",
        .enabled(if: TimestampAuthority.isPresent, "openssl is missing"))
    func vouchedFor() throws {
        let fixture = try Fixture()
        let authority = try TimestampAuthority()
        let old = """
            {"claim_version": 1, "claim_generator": "old/1", "title": "old.jpg", "format": "image/jpeg", "assertions": [
            {"label": "c2pa.actions", "data": {"actions": [{"action": "c2pa.created",
            "digitalSourceType": "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture"}]}}]}
            """
        let files = [
            (1, try fixture.sign(definition: old, timestampAuthority: authority.url)),
            (2, try fixture.sign(timestampAuthority: authority.url).copy),
        ]
        for (version, bytes) in files {
            let file = try NamelessFile(holding: bytes)
            // Readers without anchors, with the signer's authority, with the time-stamp authority as an anchor for signers only, and as an
            // anchor for time stamps.
            let readers = [
                (try CredentialReader(trustAnchorsPEM: nil), false),
                (try CredentialReader(trustAnchorsPEM: fixture.identity.rootPEM), false),
                (try CredentialReader(trustAnchorsPEM: fixture.identity.rootPEM + authority.rootPEM), false),
                (
                    try CredentialReader(trustAnchorsPEM: authority.rootPEM, timestampAnchorsPEM: fixture.identity.rootPEM),
                    false
                ),
                (try CredentialReader(trustAnchorsPEM: nil, timestampAnchorsPEM: authority.rootPEM), version == 2),
                (
                    try CredentialReader(trustAnchorsPEM: fixture.identity.rootPEM, timestampAnchorsPEM: authority.rootPEM), version == 2
                ),
            ]
            for (index, (reader, isVouchedFor)) in readers.enumerated() {
                let report = reader.read(fileDescriptor: file.descriptor, mediaType: "image/jpeg")
                #expect(report.claimVersion == version && (report.state == .trusted || report.state == .valid), "\(version) \(index)")
                #expect((report.signedAt != nil) == isVouchedFor, "\(version) \(index)")
                #expect(
                    report.validationCodes.contains { $0.code == "timeStamp.trusted" } == isVouchedFor, "\(version) \(index)")
            }
        }
    }

    @Test(
        "are told apart from other failures when the authority does not give one",
        arguments: [
            (500, [UInt8]()), (404, []), (200, []), (200, Array("garbage".utf8)),
            // TimeStampResp with PKIStatus rejection.
            (200, [0x30, 0x05, 0x30, 0x03, 0x02, 0x01, 0x02]),
        ])
    func refused(status: Int, body: [UInt8]) throws {
        let server = try LoopbackServer { _ in (status, body) }
        try expectUnavailable(server.url)
        #expect(server.connections >= 1)
    }

    @Test("are unavailable when nobody listens, or the connection closes without a response")
    func nobody() throws {
        let silent = try LoopbackServer { _ in nil }
        try expectUnavailable(silent.url)
        let gone = try LoopbackServer { _ in nil }.url
        try expectUnavailable(gone)
    }

    @Test("are not blamed for a wrong key", .enabled(if: TimestampAuthority.isPresent, "openssl is missing"))
    func impostor() throws {
        let fixture = try Fixture()
        let authority = try TimestampAuthority()
        let signer = ImpostorSigner(owner: fixture.signer, stranger: try Fixture().signer)
        let error = #expect(throws: CredentialError.self) { try fixture.sign(by: signer, timestampAuthority: authority.url) }
        #expect(error == .refused("Signature: the signature does not match the provided data or public key"))
    }

    @Test("do not hide that the signer failed", .enabled(if: TimestampAuthority.isPresent, "openssl is missing"))
    func signerFirst() throws {
        let fixture = try Fixture()
        let authority = try TimestampAuthority()
        let signer = ScriptedSigner(owner: fixture.signer, answer: .failure(.unavailable("token is away")))
        #expect(throws: CredentialError.signer(.unavailable("token is away"))) {
            try fixture.sign(by: signer, timestampAuthority: authority.url)
        }
    }

    @Test("of another signature are refused", .enabled(if: TimestampAuthority.isPresent, "openssl is missing"))
    func stale() throws {
        let authority = try TimestampAuthority()
        _ = try Fixture().sign(timestampAuthority: authority.url)
        let earlier = try authority.lastReply()
        let server = try LoopbackServer { _ in (200, earlier) }
        try expectUnavailable(server.url)
    }

    private func expectUnavailable(_ url: URL) throws {
        let fixture = try Fixture()
        let error = #expect(throws: CredentialError.self) { try fixture.sign(timestampAuthority: url) }
        guard case .timestampUnavailable(let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!text.isEmpty)
    }
}
