import CaptureProtocol
import Foundation
import TestSupport
import Testing
import TransparencyLog

extension SystemTests.Bundles {
    /// What is changed, how, and which checks have to name it.
    private typealias Change = (what: String, change: (inout EvidenceBundle) throws -> Void, failing: Set<String>)

    /// Changes of what every bundle has.
    private static var ofEveryBundle: [Change] {
        [
            ("evidence", { $0.statements[0].evidence?.append(0x20) }, ["evidence"]),
            (
                "receipt",
                { try $0.state(#""received_at":"1999-"#, insteadOf: #""received_at":"\#(Date().formatted(.iso8601).prefix(5))"#) },
                ["inclusion"]
            ),
            (
                "confidence",
                { bundle in
                    let stated = try #require(bundle.statements[0].statement.verdict?.confidence)
                    try bundle.state(#""confidence":"low""#, insteadOf: #""confidence":"\#(stated.rawValue)""#)
                }, ["inclusion", "confidence"]
            ),
            ("salt", { try $0.changeProof(at: 10) { $0.hasPrefix("extra ") } }, ["inclusion"]),
            ("proof", { try $0.changeProof(at: 0) { $0.utf8.count == 44 && !$0.contains(" ") } }, ["inclusion"]),
            ("log's signature", { try $0.changeProof(at: -10) { $0.hasPrefix("— ") && $0.contains("/log/") } }, ["log_signature"]),
            ("witness's signature", { try $0.changeProof(at: -10) { $0.hasPrefix("— witness") } }, ["log_signature"]),
        ]
    }

    /// Changes of an owner's bundle.
    private static var ofEveryOwners: [Change] {
        [
            ("assertion", { try $0.owner?.assertion.flip() }, ["raw"]), ("attestation", { try $0.owner?.attestation.flip() }, ["raw"]),
            (
                "salt of raw",
                {
                    let digests = $0.owner?.raw.digests ?? [:]
                    $0.owner?.raw = RawParts(digests: digests, salt: try #require(Salt(bytes: repeatElement(7, count: 32))))
                },
                ["raw"]
            ),
            ("what was attested", { $0.owner?.clientDataHash = ContentDigest(of: [7]) }, ["attestation"]),
        ]
    }

    @Test("an owner's bundle of a photo is proved down to the bits of its depth, and each thing that is changed in it is named")
    func photo() async throws {
        let desk = try await BundleDesk()
        let bundle = try await desk.fetchOwned(try await desk.send(), isPhoto: true)
        let proved = try await desk.verify(bundle, desk.photo, "--attest-roots", desk.root)
        #expect(proved.code == 0, "\(proved.text)")
        for check in ["content_credentials", "file", "raw", "attestation", "assertion", "depth"] {
            #expect(proved.finding(check) == "passed", "\(check)")
        }
        let changes: [Change] = [
            ("photo", { try $0.owner?.photo.flip() }, ["raw"]), ("depth", { try $0.owner?.depth.flip() }, ["raw"]),
            ("metadata", { $0.owner?.signed = .metadata(Array("{}".utf8)) }, ["raw"]),
            ("the last bit of the depth", { try $0.changeDepth("depth_variance") }, ["evidence", "depth"]),
            ("manifest", { try $0.manifest.flip() }, ["file"]), ("copy", { try $0.media["c2pa.jpg"].flip() }, ["file"]),
        ]
        try await expectNamed(changes + Self.ofEveryBundle + Self.ofEveryOwners, in: bundle, desk)
        let other = desk.folder.appendingPathComponent("other.jpg")
        try (Data(contentsOf: URL(fileURLWithPath: desk.photo)) + [0]).write(to: other)
        let strange = try await desk.verify(bundle, other.path, "--attest-roots", desk.root)
        #expect(strange.code == 1 && strange.failed == ["file"] && strange.complaints.contains("other.jpg"))
    }

    @Test("bundles of a hash-only photo and of a video are proved with what their device signed, and each thing that is changed is named")
    func others() async throws {
        let desk = try await BundleDesk()
        let (hash, video) = (try await desk.send("--hash-only"), try await desk.sendVideo())
        for (id, media) in [(hash, desk.photo), (video, desk.folder.path + "/video/video.mp4")] {
            let proved = try await desk.verify(try await desk.fetch(id), media)
            #expect(proved.code == 0 && proved.finding("file") == "passed" && proved.finding("raw") == nil, "\(proved.text)")
            try await expectNamed(Self.ofEveryBundle, in: try await desk.fetch(id), desk)
            let owned = try await desk.fetchOwned(id)
            let whole = try await desk.verify(owned, media, "--attest-roots", desk.root)
            #expect(whole.code == 0, "\(whole.text)")
            for check in ["raw", "attestation", "assertion"] { #expect(whole.finding(check) == "passed", "\(check): \(whole.text)") }
            let signed: [Change] = [
                (
                    "payload or metadata", { $0.owner?.signed = id == hash ? .payload(Array("{}".utf8)) : .metadata(Array("{}".utf8)) },
                    ["raw"]
                ),
                ("copy", { try $0.media["c2pa.mp4"].flip() }, ["file"]),
            ]
            try await expectNamed(Self.ofEveryOwners + signed.prefix(id == hash ? 1 : 2), in: owned, desk)
        }
    }

    private func expectNamed(_ changes: [Change], in bundle: String, _ desk: BundleDesk) async throws {
        for (what, change, failing) in changes {
            let found = try await desk.verify(bundle, changed: change, "--attest-roots", desk.root)
            #expect(found.code == 1 && found.json["outcome"] as? String == "wrong", "\(what): \(found.text)")
            #expect(found.failed == failing, "\(what): \(found.text)")
            #expect(found.json["confidence"] == nil || found.json["confidence"] is NSNull, "\(what): nothing in it is presented as fact")
            if failing == ["raw"], !what.contains(" ") { #expect(found.complaints.contains(what), "\(what): \(found.complaints)") }
        }
    }

    @Test(
        "a time stamp is verified where its anchors are given, and a changed one is named",
        .enabled(if: OpenSSL.isPresent, "openssl is missing"))
    func stamped() async throws {
        let desk = try await BundleDesk()
        let (authority, stranger) = (try TimestampAuthority(), try TimestampAuthority())
        let (anchors, others) = (desk.folder.appendingPathComponent("time.pem").path, desk.folder.appendingPathComponent("others.pem").path)
        try authority.rootPEM.write(toFile: anchors, atomically: true, encoding: .utf8)
        try stranger.rootPEM.write(toFile: others, atomically: true, encoding: .utf8)
        let settings = [
            "RIAL_LOG_TIMESTAMP_AUTHORITY": authority.url.absoluteString, "RIAL_LOG_TIMESTAMP_ANCHORS": anchors,
            "RIAL_LOG_TIMESTAMP_SECONDS": "1",
        ]
        let bundle = try await desk.stack.running("transparency-log", with: settings) {
            let id = try await desk.send()
            try await eventually("a checkpoint with the capture is stamped") {
                try await desk.stack.sql(
                    """
                    SELECT count(*) > 0 FROM statements JOIN log_entries USING (commitment)
                        JOIN log_checkpoints ON log_checkpoints.origin = log_entries.origin
                    WHERE capture_id = '\(id)' AND size > log_entries.leaf_index AND token IS NOT NULL
                    """) == ["t"]
            }
            return try await desk.fetch(id)
        }
        authority.close()
        let proved = try await desk.verify(bundle, "--timestamp-anchors", anchors)
        #expect(proved.code == 0 && proved.finding("timestamp") == "passed", "\(proved.text)")
        let stampedAt = ((proved.json["log"] as? [String: Any])?["stamped_at"] as? String).flatMap(Timestamp.parse)
        #expect(abs(try #require(stampedAt).timeIntervalSinceNow) < 120)
        let unchecked = try await desk.verify(bundle)
        #expect(unchecked.code == 0 && unchecked.finding("timestamp") == "not_checked")
        let untrusted = try await desk.verify(bundle, "--timestamp-anchors", others)
        #expect(untrusted.code == 3 && untrusted.finding("timestamp") == "untrusted", "\(untrusted.text)")
        // The last bytes are the authority's signature.
        let change: (inout EvidenceBundle) throws -> Void = {
            var token = try #require($0.statements[0].timestamp)
            token[token.count - 20] ^= 1
            $0.statements[0].timestamp = token
        }
        let changed = try await desk.verify(bundle, changed: change, "--timestamp-anchors", anchors)
        #expect(changed.code == 1 && changed.failed == ["timestamp"], "\(changed.text)")
    }

    @Test("once a device is revoked, a fresh bundle says so of what came since, until the device is restored")
    func revoked() async throws {
        let desk = try await BundleDesk()
        let state = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: desk.state))) as? [String: Any]
        let device = try #require(state?["device_id"] as? String)
        let before = try await desk.send()
        let since = Timestamp.format(Date())
        let after = try await desk.send("--hash-only")
        let earlier = try await desk.fetch(after)
        let revoked = try await desk.run("device", "revoke", device, "--since", since, "--reason", "stolen")
        #expect(revoked.code == 0, "\(revoked.text)")

        func fresh(_ id: String, has statements: Int) async throws -> BundleDesk.Outcome {
            var path = ""
            try await eventually("\(id) has \(statements) statements in the log") {
                path = try await desk.fetch(id)
                return try EvidenceBundle(Array(try Data(contentsOf: URL(fileURLWithPath: path)))).statements.count == statements
            }
            return try await desk.verify(path)
        }
        let taken = try await fresh(after, has: 2)
        #expect(taken.code == 1 && taken.failed == ["standing"], "\(taken.text)")
        #expect((taken.json["revocation"] as? [String: Any])?["reason"] as? String == "device_revoked")
        #expect(taken.json["confidence"] == nil || taken.json["confidence"] is NSNull)
        #expect(try await fresh(before, has: 1).code == 0, "it was received before")
        #expect(try await badge(of: after) == "revoked")
        #expect(try await badge(of: before) == "high")
        // Nobody can know offline what came later, and the report says that it was not looked for.
        let old = try await desk.verify(earlier)
        #expect(old.code == 0 && (old.json["not_checked"] as? [String])?.contains(BundleReport.always) == true)

        #expect(try await desk.run("device", "restore", device).code == 0)
        let restored = try await fresh(after, has: 3)
        #expect(restored.code == 0 && restored.json["confidence"] as? String == "high", "\(restored.text)")
        #expect(try await badge(of: after) == "high")
    }

    /// The CSS class of the badge on a record's page.
    private func badge(of capture: String) async throws -> String? {
        let page = try await TestClient.current().send("GET", "/verify/\(capture)?lang=en")
        return page.text.firstMatch(of: #/<p><span class="badge (\w+)/#).map { String($0.output.1) }
    }
}
