import Blocking
import CaptureProtocol
import Foundation
import Models
import Signing
import TestSupport
import Testing

@testable import ContentCredentials

@Suite("Time stamps")
struct TimestampTests {
    /// Of a claim of version 1.
    private static let old = """
        {"claim_version": 1, "claim_generator": "old/1", "title": "old.jpg", "format": "image/jpeg", "assertions": [
        {"label": "c2pa.actions", "data": {"actions": [{"action": "c2pa.created",
        "digitalSourceType": "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture"}]}}]}
        """

    @Test(
        "keep a copy valid after the certificate has expired; without one it does not stay so",
        .enabled(if: OpenSSL.isPresent, "openssl is missing"))
    func expiry() async throws {
        let authority = try TimestampAuthority()
        // Certificates expire at whole seconds. All copies are made and read before, on a slow machine too.
        let end = Date(timeIntervalSince1970: Date.now.timeIntervalSince1970.rounded(.down) + 20)
        let fixture = try Fixture(leafValidity: DateInterval(start: .now.addingTimeInterval(-60), end: end))
        let stamped = try fixture.sign(timestampAuthority: authority.url)
        let bare = try fixture.sign()
        #expect(stamped.result.hasTimestamp && !bare.result.hasTimestamp)
        #expect(authority.requests == 1)
        let old = try fixture.sign(definition: Self.old, timestampAuthority: authority.url)
        for copy in [stamped.copy, bare.copy, old] {
            #expect(try fixture.read(copy, timestampAnchors: authority.rootPEM).state == .trusted)
        }

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

        // Whoever has the key of an expired certificate can have a time stamp with any time: of an authority of their own on a claim of
        // version 1, or of one that an anchor for signers vouches for.
        let signers = fixture.identity.rootPEM + authority.rootPEM
        let readers = [
            (old, try CredentialReader(trustAnchorsPEM: fixture.identity.rootPEM, timestampAnchorsPEM: authority.rootPEM)),
            (old, try CredentialReader(trustAnchorsPEM: nil, ownAnchorsPEM: fixture.identity.rootPEM)),
            (stamped.copy, try CredentialReader(trustAnchorsPEM: signers)),
            (stamped.copy, try CredentialReader(trustAnchorsPEM: nil, ownAnchorsPEM: signers)),
        ]
        for (index, (copy, reader)) in readers.enumerated() {
            let file = try NamelessFile(holding: copy)
            let report = reader.read(fileDescriptor: file.descriptor, mediaType: "image/jpeg", at: .now)
            #expect(report.state == .invalid && report.voucher == nil && report.signedAt == nil, "\(index)")
            #expect(report.validationCodes.contains { $0.code == "signingCredential.expired" && $0.kind == .failure }, "\(index)")
            #expect(CredentialsFinding(ManifestInfo(report)) == .expired, "\(index)")
        }
    }

    @Test(
        "on claims of version 1 leave it to the present time whether the certificate is valid",
        arguments: [
            (-100, 100, CredentialReport.State.trusted), (-100, 0, .trusted), (0, 100, .trusted), (-100, -1, .invalid), (1, 100, .invalid),
        ])
    func versionOne(from start: Int, to end: Int, state: CredentialReport.State) throws {
        let now = Date(timeIntervalSince1970: 1_795_240_800)
        let dates = CertificateDates(
            notBefore: now.addingTimeInterval(TimeInterval(start)), notAfter: now.addingTimeInterval(TimeInterval(end)))
        for version in [1, nil] {
            let json = try stamped(version: version)
            let report = try #require(CredentialReport(readerJSON: json, at: now, signerDates: { _ in dates }))
            let voucher: CredentialReport.Voucher? = state == .trusted ? .listed : nil
            #expect(report.state == state && report.voucher == voucher && report.signedAt == nil)
            #expect(report.validationCodes.contains { $0.code == "signingCredential.expired" } == (state == .invalid))
            #expect(!report.validationCodes.contains { $0.code == "timeStamp.trusted" })
        }
        // On later claims the library looks who made the time stamp.
        let json = try stamped(version: 2)
        let later = try #require(CredentialReport(readerJSON: json, at: now, signerDates: { _ in dates }))
        #expect(later.state == .trusted && later.signedAt == "2020-01-01T00:00:00+00:00")
    }

    @Test("on claims of version 1 leave nobody to vouch for a signer whose certificate has no dates")
    func withoutDates() throws {
        let json = try stamped(version: 1)
        let report = try #require(CredentialReport(readerJSON: json, at: .now))
        #expect(report.state == .valid && report.voucher == nil && report.signedAt == nil)
    }

    /// What the library says of a file with a time stamp, after so many other codes that the report has no room for the last.
    private func stamped(version: Int?) throws -> Data {
        var manifest: [String: Any] = ["signature_info": ["time": "2020-01-01T00:00:00+00:00"]]
        manifest["claim_version"] = version
        let codes = (0..<200).map { ["code": "c\($0)"] } + [["code": "timeStamp.trusted"]]
        let results: [String: Any] = ["trustListUri": "urn:rial:trust:v1", "activeManifest": ["success": codes]]
        let root: [String: Any] = [
            "validation_state": "Trusted", "active_manifest": "m", "manifests": ["m": manifest], "validation_results": results,
        ]
        return try JSONSerialization.data(withJSONObject: root)
    }

    @Test("are judged by the dates of the certificate that signed the manifest itself")
    func dates() throws {
        let end = Date(timeIntervalSince1970: Date.now.timeIntervalSince1970.rounded(.down) + 1000)
        let fixture = try Fixture(leafValidity: DateInterval(start: end.addingTimeInterval(-2000), end: end))
        let json = try JSONSerialization.data(withJSONObject: try fixture.crJSON(fixture.sign().copy))
        let dates = CertificateDates(notBefore: end.addingTimeInterval(-2000), notAfter: end)
        #expect(CertificateDates(crJSON: json, manifest: fixture.claim().manifestID) == dates)
        #expect(CertificateDates(crJSON: json, manifest: "other") == nil)
        #expect(CertificateDates(crJSON: Data("[]".utf8), manifest: "other") == nil)
    }

    @Test(
        "count only where an anchor for times vouches for them, and never on claims of version 1",
        .enabled(if: OpenSSL.isPresent, "openssl is missing"))
    func vouchedFor() throws {
        let fixture = try Fixture()
        let authority = try TimestampAuthority()
        let files = [
            (1, try fixture.sign(definition: Self.old, timestampAuthority: authority.url)),
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
                let report = reader.read(fileDescriptor: file.descriptor, mediaType: "image/jpeg", at: .now)
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
        let server = try LoopbackServer(contentType: "application/timestamp-reply") { _ in (status, body) }
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

    @Test(
        "are unavailable when they are too large: that is no fault of the photo",
        .enabled(if: OpenSSL.isPresent, "openssl is missing"))
    func oversized() throws {
        let fixture = try Fixture()
        let authority = try TimestampAuthority(usage: "critical,timeStamping\nnsComment = \(String(repeating: "x", count: 12_000))")
        let error = #expect(throws: CredentialError.self) { try fixture.sign(timestampAuthority: authority.url) }
        #expect(error == .timestampUnavailable("Signature: COSE Signature too big for JUMBF box"))
    }

    @Test("are not blamed for a wrong key", .enabled(if: OpenSSL.isPresent, "openssl is missing"))
    func impostor() throws {
        let fixture = try Fixture()
        let authority = try TimestampAuthority()
        let signer = ImpostorSigner(owner: fixture.signer, stranger: try Fixture().signer)
        let error = #expect(throws: CredentialError.self) { try fixture.sign(by: signer, timestampAuthority: authority.url) }
        #expect(error == .refused("Signature: the signature does not match the provided data or public key"))
    }

    @Test("do not hide that the signer failed", .enabled(if: OpenSSL.isPresent, "openssl is missing"))
    func signerFirst() throws {
        let fixture = try Fixture()
        let authority = try TimestampAuthority()
        let signer = ScriptedSigner(owner: fixture.signer, answer: .failure(.unavailable("token is away")))
        #expect(throws: CredentialError.signer(.unavailable("token is away"))) {
            try fixture.sign(by: signer, timestampAuthority: authority.url)
        }
    }

    @Test("of another signature are refused", .enabled(if: OpenSSL.isPresent, "openssl is missing"))
    func stale() throws {
        let authority = try TimestampAuthority()
        _ = try Fixture().sign(timestampAuthority: authority.url)
        let earlier = try authority.lastReply()
        let server = try LoopbackServer(contentType: "application/timestamp-reply") { _ in (200, earlier) }
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
