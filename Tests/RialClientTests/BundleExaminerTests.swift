import CaptureProtocol
import Crypto
import Evidence
import Foundation
import Models
import SimulatedDevice
import Testing

@testable import Attestation
@testable import RialCLI
@testable import TransparencyLog

@Suite("What the command line finds out about bundles by itself")
struct BundleExaminerTests {
    @Test("an assertion of an attested device passes if it is over what the evidence says, and is named if it is not")
    func device() throws {
        let authority = try DevelopmentAttestationAuthority()
        var device = SimulatedDevice()
        let examiner = DeviceExaminer(appraisal: RepeatedAppraisal(roots: try TrustRoots.apple.adding(pem: authority.rootPEM)))
        let challenge = [UInt8](repeating: 5, count: 32)
        let attestation = try device.attestation(clientDataHash: challenge, authority: authority, at: Date()).attestationObject
        let hash = ContentDigest(of: Array("what is signed".utf8))
        let owner = EvidenceBundle.OwnerParts(
            raw: RawParts(digests: [:], salt: try #require(Salt(bytes: [UInt8](repeating: 1, count: 32)))),
            assertion: try device.assertion(clientDataHash: hash.bytes), attestation: attestation,
            clientDataHash: ContentDigest(bytes: challenge))
        let other = ContentDigest(of: [1])
        func findings(
            _ owner: EvidenceBundle.OwnerParts, _ hashes: [(binding: AssertionBinding, hash: ContentDigest)],
            _ binding: AssertionBinding? = .photoDepth, by examiner: DeviceExaminer = examiner
        ) -> (attestation: String, assertion: String) {
            let found = examiner.findings(DeviceQuestion(kind: .photo, owner: owner, clientDataHashes: hashes, binding: binding))
            return (found.attestation.word, found.assertion.word)
        }
        #expect(findings(owner, [(.photoDepthMetadata, other), (.photoDepth, hash)]) == ("passed", "passed"))
        #expect(findings(owner, [(.photoDepthMetadata, hash), (.photoDepth, other)]) == ("passed", "failed"))
        #expect(findings(owner, [(.photoDepth, other)]) == ("passed", "failed"))
        #expect(findings(owner, [(.photo, hash)]) == ("passed", "not_checked"))
        var strange = owner
        strange.clientDataHash = other
        #expect(findings(strange, [(.photoDepth, hash)]) == ("failed", "not_checked"))
        let strict = DeviceExaminer(appraisal: RepeatedAppraisal(roots: .apple))
        #expect(findings(owner, [(.photoDepth, hash)], by: strict) == ("untrusted", "not_checked"))
    }

    @Test("an assertion over a whole recording passes, over the digests of its parts that the bundle has")
    func recording() throws {
        let authority = try DevelopmentAttestationAuthority()
        var device = SimulatedDevice()
        let challenge = [UInt8](repeating: 5, count: 32)
        let digests = RawParts.Name.allCases.enumerated().map { ($1, ContentDigest(of: [UInt8($0)])) }
        var raw = Dictionary(uniqueKeysWithValues: digests)
        let hash = VideoClientData.final(
            video: try #require(raw[.video]), depth: try #require(raw[.depth]), metadata: try #require(raw[.metadata]),
            hashChain: try #require(raw[.hashChain]))
        let (attestation, assertion) = (
            try device.attestation(clientDataHash: challenge, authority: authority, at: Date()).attestationObject,
            try device.assertion(clientDataHash: hash.bytes)
        )
        let examiner = DeviceExaminer(appraisal: RepeatedAppraisal(roots: try TrustRoots.apple.adding(pem: authority.rootPEM)))
        func word(_ binding: AssertionBinding, _ kind: CaptureKind = .video) throws -> String {
            let owner = EvidenceBundle.OwnerParts(
                raw: RawParts(digests: raw, salt: try #require(Salt(bytes: [UInt8](repeating: 1, count: 32)))), assertion: assertion,
                attestation: attestation, clientDataHash: ContentDigest(bytes: challenge))
            return examiner.findings(DeviceQuestion(kind: kind, owner: owner, clientDataHashes: [], binding: binding)).assertion.word
        }
        #expect(try word(.videoDepthMetadata) == "passed")
        #expect(try word(.checkpoint) == "not_checked" && word(.videoDepthMetadata, .photo) == "not_checked")
        raw[.hashChain] = ContentDigest(of: [99])
        #expect(try word(.videoDepthMetadata) == "failed")
        raw[.hashChain] = nil
        #expect(try word(.videoDepthMetadata) == "not_checked")
    }

    @Test("a report names what was not checked, and believes nothing that is wrong", arguments: [false, true])
    func report(isJSON: Bool) async throws {
        let report = await BundleVerifier(policy: .empty).verify([1, 2, 3])
        let text = BundleReportText(report: report)
        let shown = isJSON ? try text.json() : text.text
        #expect(shown.contains(BundleReport.always))
        #expect(isJSON ? shown.contains(#""outcome":"unreadable""#) : shown.hasPrefix("UNREADABLE"))
        #expect(report.outcome.exitCode == 2)
    }

    @Test("a time of capture that no signature covers is marked, and so is a device that serves for tests")
    func unsignedTime() {
        func text(_ capturedAt: SharedTime, isSigned: Bool) -> String {
            let digest = ContentDigest(of: [1])
            let verdict = Verdict(
                kind: .photo, media: digest, files: [:], manifest: nil, capturedAt: capturedAt, receivedAt: capturedAt, confidence: .medium,
                algorithms: [:], evidence: digest, raw: digest)
            let report = BundleReport(
                checks: [], capture: nil, verdict: verdict, isMetadataSigned: isSigned, isDevelopmentAttestation: !isSigned, entry: nil,
                revocation: nil)
            return BundleReportText(report: report).text
        }
        let time = SharedTime.exact(Date(timeIntervalSince1970: 1_793_534_398))
        #expect(text(time, isSigned: false).contains("2026-11-01T11:59:58.000Z (not signed)"))
        #expect(!text(time, isSigned: true).contains("not signed"))
        #expect(!text(.notShared, isSigned: false).contains("not signed"))
        #expect(text(time, isSigned: false).contains("test record") && !text(time, isSigned: true).contains("test record"))
    }

    @Test("a proof is told as seen by witnesses only if the policy asks for some")
    func witnesses() throws {
        let origin = try #require(TextLine("rial.example/log/2026"))
        func text(_ seconds: UInt64?) -> String {
            let entry = BundleReport.Entry(origin: origin, index: 1, treeSize: 2, witnessedAt: seconds, stampedAt: nil)
            let report = BundleReport(
                checks: [], capture: nil, verdict: nil, isMetadataSigned: true, isDevelopmentAttestation: false, entry: entry,
                revocation: nil)
            return BundleReportText(report: report).text
        }
        #expect(text(1_793_534_405).hasPrefix("PROVED") && text(1_793_534_405).contains("witnesses of the policy saw it there"))
        #expect(text(nil).hasPrefix("PROVED") && text(nil).contains("it takes the log's own word") && !text(nil).contains("saw it"))
    }
}
