import CaptureProtocol
import Testing

@testable import TransparencyLog

@Suite("What a bundle has to say to be proved")
struct BundleRuleTests {
    private let log: SampleLog

    init() throws { log = try SampleLog() }

    private func first(_ change: (inout Verdict) -> Void = { _ in }, time: Int = 1_793_534_402) throws -> Statement {
        var verdict = try ExampleBundle.verdict()
        change(&verdict)
        return try Statement(
            .assessment(verdict), capture: try ExampleBundle.capture(), subject: try ExampleBundle.subject(), sequence: 0, time: time,
            previous: nil)
    }

    private func next(
        _ content: Statement.Content, after previous: Statement, salt: UInt8, sequence: Int = 1, capture: CaptureID? = nil,
        subject: LogSubject? = nil
    ) throws -> Statement {
        try Statement(
            content, capture: capture ?? previous.capture, subject: subject ?? previous.subject, sequence: sequence,
            time: previous.time + 10, previous: previous.commitment(salt: try SampleLog.salt(salt)))
    }

    private func logged(_ statement: Statement, _ salt: UInt8, cosignedAfter seconds: [Int] = [2, 3]) throws -> EvidenceBundle.Logged {
        let evidence = statement.verdict == nil ? nil : Array(ExampleBundle.evidence.utf8)
        return try log.log(statement, evidence: evidence, salt: try SampleLog.salt(salt), cosignedAfter: seconds)
    }

    private func report(_ statements: [EvidenceBundle.Logged], policy: TrustPolicy? = nil) async throws -> BundleReport {
        let verifier = BundleVerifier(policy: policy ?? log.policy, examiners: .samples)
        return await verifier.verify(try EvidenceBundle(statements: statements).bytes())
    }

    @Test("is that the last statement with a verdict decides")
    func decides() async throws {
        let assessed = try first()
        var verdict = try ExampleBundle.verdict()
        verdict.files["og.jpg"] = ContentDigest(of: [1])
        let credentials = try next(.credentials(verdict), after: assessed, salt: 1)
        let report = try await report([try logged(assessed, 1), try logged(credentials, 2)])
        #expect(report.outcome == .proved, "\(report.checks)")
        #expect(report.verdict == verdict && report.entry?.witnessedAt == UInt64(credentials.time + 3))
    }

    @Test("is that nothing takes it back, or that it was assessed again afterwards")
    func revoked() async throws {
        let assessed = try first()
        let revoked = try next(.revocation(reason: "device_revoked"), after: assessed, salt: 1)
        let statements = [try logged(assessed, 1), try logged(revoked, 2)]
        #expect(try await report(statements).outcome == .wrong)
        let again = try next(.reassessment(try ExampleBundle.verdict()), after: revoked, salt: 2, sequence: 2)
        let restored = try await report(statements + [try logged(again, 3)])
        #expect(restored.outcome == .proved && restored.revocation == nil, "\(restored.checks)")
    }

    @Test("is not taken back by a statement that nobody who is trusted vouches for: anyone can write one")
    func claimed() async throws {
        let stranger = try SampleLog(origin: "rial.example/log/other")
        let assessed = try first()
        let revoked = try next(.revocation(reason: "device_revoked"), after: assessed, salt: 1)
        let claims = [
            try stranger.log(revoked, salt: try SampleLog.salt(2), cosignedAfter: []), try logged(revoked, 2, cosignedAfter: [2]),
        ]
        for claim in claims {
            let report = try await report([try logged(assessed, 1), claim])
            #expect(report.outcome == .untrusted && report.revocation == nil, "\(report.checks)")
            let sentence = "Statement 1 says that the verdict was taken back, but nobody who is trusted here vouches for it."
            #expect(report.check(.standing) == .untrusted(sentence))
        }
        // Nor by one that a trusted log does not have.
        var astray = try logged(revoked, 2)
        let proof = try TransparencyProof(astray.proof)
        astray.proof = try TransparencyProof(
            extra: proof.extra, index: proof.index, inclusion: InclusionProof(hashes: [ContentDigest(of: [1])]), note: proof.note
        ).bytes
        let report = try await report([try logged(assessed, 1), astray])
        #expect(report.checks.filter { $0.finding.isFailed }.map(\.name) == [.inclusion] && report.revocation == nil)
    }

    @Test("is not restored by a verdict that nobody who is trusted vouches for")
    func restoredByStranger() async throws {
        let stranger = try SampleLog(origin: "rial.example/log/other")
        let assessed = try first()
        let revoked = try next(.revocation(reason: "device_revoked"), after: assessed, salt: 1)
        var verdict = try ExampleBundle.verdict()
        verdict.files["og.jpg"] = ContentDigest(of: [1])
        let again = try next(.reassessment(verdict), after: revoked, salt: 2, sequence: 2)
        let (evidence, salt) = (Array(ExampleBundle.evidence.utf8), try SampleLog.salt(3))
        let claims = [
            try stranger.log(again, evidence: evidence, salt: salt, cosignedAfter: []), try logged(again, 3, cosignedAfter: [2]),
        ]
        for claim in claims {
            let statements = [try logged(assessed, 1), try logged(revoked, 2), claim]
            let report = try await report(statements)
            #expect(report.outcome == .wrong && report.revocation?.sequence == 1, "\(report.checks)")
            #expect(report.verdict == assessed.verdict && report.entry?.witnessedAt == UInt64(assessed.time + 3))
            let last = try next(.reassessment(verdict), after: again, salt: 3, sequence: 3)
            let restored = try await self.report(statements + [try logged(last, 4)])
            #expect(restored.outcome == .untrusted && restored.revocation == nil && restored.verdict == verdict, "\(restored.checks)")
        }
    }

    @Test("is that each statement follows the one before it, of the same capture and subject")
    func order() async throws {
        let assessed = try first()
        let other = try #require(CaptureID("0f0e0d0c-0b0a-4908-8706-050403020101"))
        let otherSubject = try #require(LogSubject(bytes: [UInt8](repeating: 1, count: 16)))
        let reason = Statement.Content.reassessment(try ExampleBundle.verdict())
        let strangers = [
            try next(reason, after: assessed, salt: 9), try next(reason, after: assessed, salt: 1, sequence: 2),
            try next(reason, after: assessed, salt: 1, capture: other), try next(reason, after: assessed, salt: 1, subject: otherSubject),
        ]
        for stranger in strangers {
            let report = try await report([try logged(assessed, 1), try logged(stranger, 2)])
            #expect(report.checks.filter { $0.finding.isFailed }.map(\.name) == [.order])
        }
        let followed = try next(reason, after: assessed, salt: 1)
        #expect(try await report([try logged(followed, 2)]).checks.filter { $0.finding.isFailed }.map(\.name) == [.order])
    }

    @Test(
        "is that it was seen at most five minutes before it was made",
        arguments: [(-301, false), (-300, true), (0, true), (1_000_000, true)])
    func time(seconds: Int, isRight: Bool) async throws {
        let report = try await report([try logged(try first(), 1, cosignedAfter: [seconds, seconds])])
        #expect(report.outcome == (isRight ? .proved : .wrong))
        #expect(report.check(.time)?.isPassed == isRight)
    }

    @Test("is of a device that serves for tests, which is told apart", arguments: [true, false])
    func development(isDevelopment: Bool) async throws {
        let evidence = Array(
            ExampleBundle.evidence.replacing(
                #""development_attestation":false"#, with: #""development_attestation":\#(isDevelopment)"#
            ).utf8)
        let statement = try first { $0.evidence = ContentDigest(of: evidence) }
        let logged = try log.log(statement, evidence: evidence, salt: try SampleLog.salt(1), cosignedAfter: [2, 3])
        let report = try await report([logged])
        #expect(report.outcome == .proved && report.isDevelopmentAttestation == isDevelopment, "\(report.checks)")
    }

    @Test(
        "is no signature over its time, which is told apart",
        arguments: [
            (#""binding":"photo+depth+metadata""#, true), (#""binding":"payload""#, true), (#""binding":"photo+depth""#, false),
            (#""binding":"photo""#, false), (#""binding":null"#, false),
        ])
    func unsignedTime(binding: String, isSigned: Bool) async throws {
        let evidence = Array(ExampleBundle.evidence.replacing(#""binding":"photo+depth+metadata""#, with: binding).utf8)
        let statement = try first { $0.evidence = ContentDigest(of: evidence) }
        let logged = try log.log(statement, evidence: evidence, salt: try SampleLog.salt(1), cosignedAfter: [2, 3])
        let report = try await report([logged])
        #expect(report.outcome == .proved && report.isMetadataSigned == isSigned, "\(report.checks)")
    }

    @Test(
        "is no signature of a checkpoint over its time unless the chain is intact",
        arguments: [
            (#"{"chain_intact":true,"status":"inconclusive"}"#, true), (#"{"chain_intact":false,"status":"fail"}"#, false),
            (#"{"chain_intact":null,"status":"inconclusive"}"#, false), (#"{"chain_intact":"true","status":"inconclusive"}"#, false),
            ("null", false),
        ])
    func checkpointTime(chain: String, isSigned: Bool) throws {
        let evidence = ExampleBundle.evidence.replacing(#""binding":"photo+depth+metadata""#, with: #""binding":"checkpoint""#)
            .replacing(#""media_stored":true"#, with: #""hash_chain":\#(chain),"media_stored":true"#)
            .replacing(#""type":"photo""#, with: #""type":"video""#)
        #expect(try #require(CheckedEvidence(Array(evidence.utf8))).coversMetadata == isSigned)
    }

    @Test("is a quorum of the policy's witnesses; the second of three is its time")
    func quorum() async throws {
        let early = try await report([try logged(try first(), 1, cosignedAfter: [9, 4, 6])])
        #expect(early.outcome == .proved && early.entry?.witnessedAt == 1_793_534_402 + 6)
        let missing = try await report([try logged(try first(), 1, cosignedAfter: [2])])
        #expect(missing.outcome == .untrusted && missing.entry?.witnessedAt == nil)
        #expect(missing.notChecked.contains("Nobody says when statement 0 was seen."))
        let nobody = try TrustPolicy(Array("log \(log.key.verifier)\nquorum none\n".utf8))
        let alone = try await report([try logged(try first(), 1)], policy: nobody)
        #expect(alone.outcome == .proved && alone.check(.quorum)?.isPassed == false)
    }

    @Test("is a log of the policy, by its key and under its origin")
    func unknownLog() async throws {
        let other = try SampleLog(origin: "rial.example/log/other")
        let statement = try logged(try first(), 1)
        let report = try await report([statement], policy: other.policy)
        #expect(report.outcome == .untrusted && report.check(.logSignature)?.isFailed == false, "\(report.checks)")
        // Its witnesses are known all the same.
        #expect(report.check(.quorum)?.isPassed == true)
        let own = try await self.report([statement], policy: try ExampleBundle.policy())
        #expect(own.outcome == .untrusted && own.check(.quorum)?.isPassed == false)
    }

    @Test("is that no known key's signature is false")
    func falseSignature() async throws {
        let logged = try logged(try first(), 1)
        let proof = try TransparencyProof(logged.proof)
        for index in proof.note.signatures.indices {
            var signatures = proof.note.signatures
            var blob = signatures[index].signature
            blob[blob.count - 40] ^= 1
            let key = ([log.key] + log.witnesses)[index].verifier
            signatures[index] = NoteSignature(key: key, signature: blob)
            var changed = logged
            changed.proof = try TransparencyProof(
                extra: proof.extra, index: proof.index, inclusion: proof.inclusion,
                note: SignedNote(text: proof.note.text, signatures: signatures)
            ).bytes
            let report = try await report([changed])
            #expect(report.outcome == .wrong && report.check(.logSignature)?.isFailed == true)
        }
    }

    @Test("is that its leaf is in the tree")
    func inclusion() async throws {
        let logged = try logged(try first(), 1)
        let proof = try TransparencyProof(logged.proof)
        let others: [(index: UInt64, hashes: [ContentDigest], salt: UInt8)] = [
            (0, proof.inclusion.hashes, 1), (2, proof.inclusion.hashes, 1), (1, [], 1),
            (1, proof.inclusion.hashes + [ContentDigest(of: [1])], 1),
            (1, [ContentDigest(of: [1])], 1), (1, proof.inclusion.hashes, 2),
        ]
        for other in others {
            var changed = logged
            changed.proof = try TransparencyProof(
                extra: try SampleLog.salt(other.salt).bytes, index: other.index, inclusion: InclusionProof(hashes: other.hashes),
                note: proof.note
            ).bytes
            let report = try await report([changed])
            #expect(report.checks.filter { $0.finding.isFailed }.map(\.name) == [.inclusion])
        }
    }

    @Test("is a proof in its one form, with a salt of 32 bytes")
    func proofForm() async throws {
        let logged = try logged(try first(), 1)
        let text = String(decoding: logged.proof, as: UTF8.self)
        let extra = "extra " + Base64.encode(try SampleLog.salt(1).bytes) + "\n"
        #expect(text.contains(extra))
        let others = [
            "", text + "\n", text.replacing("\n", with: "\r\n"), text.replacing(extra, with: ""),
            text.replacing(extra, with: "extra AAAA\n"),
            text.replacing("index 1", with: "index 01"), text.replacing("tlog-proof@v1", with: "tlog-proof@v2"),
        ]
        for other in others {
            var changed = logged
            changed.proof = Array(other.utf8)
            #expect(try await report([changed]).outcome == .unreadable)
        }
    }

    @Test("is that its evidence is what it names, of its kind, and judged by its rules")
    func evidence() async throws {
        let changes: [(inout Verdict) -> Void] = [
            { $0.evidence = ContentDigest(of: [1]) }, { $0.algorithms["depth"] = "relief-2" }, { $0.algorithms["hash_chain"] = "chain-2" },
            { $0.kind = .video }, { $0.kind = .hashOnly },
        ]
        for change in changes {
            let report = try await report([try logged(try first(change), 1)])
            #expect(report.checks.filter { $0.finding.isFailed }.map(\.name) == [.evidence])
        }
    }

    @Test(
        "is evidence that can be read",
        arguments: [
            "", "{}", "null", "[]", ExampleBundle.evidence.replacing("\"pass\"", with: "\"passed\""),
            "{\"a\(String(repeating: "\u{301}", count: 31))\":1," + String(ExampleBundle.evidence.dropFirst()),
        ])
    func unreadableEvidence(text: String) async throws {
        let statement = try first { $0.evidence = ContentDigest(of: Array(text.utf8)) }
        var logged = try logged(statement, 1)
        logged.evidence = Array(text.utf8)
        #expect(try await report([logged]).checks.filter { $0.finding.isFailed }.map(\.name) == [.evidence])
    }

    @Test("is the confidence that its checks give", arguments: Verdict.Confidence.allCases)
    func confidence(stated: Verdict.Confidence) async throws {
        let report = try await report([try logged(try first { $0.confidence = stated }, 1)])
        #expect(report.outcome == (stated == .high ? .proved : .wrong))
        #expect(report.check(.confidence)?.isPassed == (stated == .high))
    }

    @Test("is that the files in it are those of the last verdict")
    func files() async throws {
        let photo = Array("signed copy".utf8)
        let statement = try first { $0.files["c2pa.jpg"] = ContentDigest(of: photo) }
        var bundle = EvidenceBundle(statements: [try logged(statement, 1)], media: ["c2pa.jpg": photo])
        let asked = BundleExaminers(contentCredentials: { question in
            question.store == nil && question.asset?.bytes == photo && question.asset?.name == "c2pa.jpg" ? .passed("") : .failed("")
        })
        let verifier = BundleVerifier(policy: log.policy, examiners: asked)
        #expect(await verifier.verify(try bundle.bytes()).outcome == .proved)
        bundle.media["og.jpg"] = photo
        #expect(await verifier.verify(try bundle.bytes()).outcome == .wrong)
        bundle.media = ["c2pa.jpg": photo + [0]]
        let changed = await verifier.verify(try bundle.bytes())
        #expect(changed.outcome == .wrong && changed.check(.contentCredentials)?.isPassed == false)
        bundle.media = [:]
        let given = await verifier.verify(try bundle.bytes(), files: [GivenFile(name: "c2pa.jpg", bytes: photo)])
        #expect(given.outcome == .proved && given.check(.contentCredentials)?.isPassed == true)
        bundle.manifest = [1]
        let manifest = await verifier.verify(try bundle.bytes())
        #expect(manifest.outcome == .wrong && manifest.check(.contentCredentials)?.isPassed == false)
    }

    @Test("is that the manifest store was seen in time, in whichever of its statements was seen first")
    func storeSeenAt() async throws {
        let store = Array("example manifest".utf8)
        let asked = BundleExaminers(contentCredentials: { question in
            .notChecked(question.witnessedAt.map { "seen at \($0)" } ?? "never seen")
        })
        let verifier = BundleVerifier(policy: log.policy, examiners: asked)
        func seen(_ statements: EvidenceBundle.Logged...) async throws -> String? {
            let report = await verifier.verify(try EvidenceBundle(statements: statements, manifest: store).bytes())
            return report.check(.contentCredentials)?.sentence
        }
        let assessed = try first()
        let again = try next(.reassessment(try ExampleBundle.verdict()), after: assessed, salt: 1)
        let later = [1_000_000, 1_000_000]
        #expect(try await seen(logged(assessed, 1), logged(again, 2, cosignedAfter: later)) == "seen at \(assessed.time + 3)")
        #expect(try await seen(logged(assessed, 1, cosignedAfter: later), logged(again, 2)) == "seen at \(again.time + 3)")
        // Without a quorum nobody has seen it.
        let alone = try logged(assessed, 1, cosignedAfter: [2])
        #expect(try await seen(alone, logged(again, 2, cosignedAfter: later)) == "seen at \(again.time + 1_000_000)")
        #expect(try await seen(alone) == "never seen")
        // Of another store it says nothing, nor does a statement that is not in the tree.
        let other = try first { $0.files["manifest.c2pa"] = ContentDigest(of: [1]) }
        let after = try next(.reassessment(try ExampleBundle.verdict()), after: other, salt: 1)
        #expect(try await seen(logged(other, 1), logged(after, 2, cosignedAfter: later)) == "seen at \(after.time + 1_000_000)")
        var astray = try logged(assessed, 1)
        let proof = try TransparencyProof(astray.proof)
        astray.proof = try TransparencyProof(
            extra: proof.extra, index: proof.index, inclusion: InclusionProof(hashes: [ContentDigest(of: [1])]), note: proof.note
        ).bytes
        #expect(try await seen(astray, logged(again, 2, cosignedAfter: later)) == "seen at \(again.time + 1_000_000)")
    }

    @Test("has exit codes of its own for each outcome")
    func codes() {
        #expect(BundleReport.Outcome.allCases.map(\.exitCode) == [0, 1, 2, 3])
    }

    @Test("is of an original that the payload names, in privacy mode")
    func payload() async throws {
        let evidence = Array(ExampleBundle.evidence.replacing("\"media_stored\":true", with: "\"media_stored\":false").utf8)
        let flags = #"{"location":"none","timestamp":"none","device":"none"}"#
        for media in [ContentDigest(of: [1]), ContentDigest(of: [2])] {
            let payload = Array(
                """
                {"version":1,"media_type":"photo","media_hash":"\(ContentDigest(of: [1]).hex)","metadata_flags":\(flags),"metadata":{},\
                "depth_analysis":null}
                """.utf8)
            let raw = RawParts(digests: [.payload: ContentDigest(of: payload)], salt: try SampleLog.salt(3))
            let statement = try first {
                $0.kind = .hashOnly
                $0.media = media
                $0.manifest = nil
                $0.evidence = ContentDigest(of: evidence)
                $0.raw = raw.digest
            }
            let logged = try log.log(statement, evidence: evidence, salt: try SampleLog.salt(1))
            let owner = EvidenceBundle.OwnerParts(
                raw: raw, assertion: nil, attestation: nil, clientDataHash: nil, signed: .payload(payload))
            let report = await BundleVerifier(policy: log.policy).verify(
                try EvidenceBundle(statements: [logged], owner: owner).bytes())
            #expect(report.check(.raw)?.isPassed == (media == ContentDigest(of: [1])), "\(report.checks)")
        }
    }
}
