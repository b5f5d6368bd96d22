import CaptureProtocol
import Foundation
import TestSupport
import Testing

@testable import TransparencyLog

@Suite("Verification of the shared bundles", .enabled(if: Vectors.isPresent, "\(Vectors.need)"))
struct SharedBundleTests {
    private static func bytes(_ name: String) throws -> [UInt8] { try Vectors.bytes("bundle/\(name)") }

    private func verifier(anchors: Bool = false, _ examiners: BundleExaminers = .samples) throws -> BundleVerifier {
        let pem = String(decoding: try Self.bytes("tsa-root.pem"), as: UTF8.self)
        return BundleVerifier(
            policy: try TrustPolicy(try Self.bytes("policy")), anchors: anchors ? try TimestampAnchors(pem: pem) : nil, examiners: examiners
        )
    }

    @Test("reads each of them as it is written again", arguments: ["example", "revoked", "stamped", "owner", "owner-joined"])
    func roundTrip(name: String) throws {
        let bytes = try Self.bytes("\(name).rial")
        #expect(try EvidenceBundle(bytes).bytes() == bytes)
    }

    @Test("has the example of the specification")
    func example() throws { #expect(try Self.bytes("example.rial") == ExampleBundle.bundle().bytes()) }

    @Test("proves the example, and the photo that belongs to it")
    func photo() async throws {
        let photo = GivenFile(name: "photo", bytes: try Self.bytes("photo"))
        let report = try await verifier().verify(try Self.bytes("example.rial"), files: [photo])
        #expect(report.outcome == .proved, "\(report.checks)")
        #expect(report.check(.file) == .passed("photo is the original that the verdict names."))
        #expect(report.check(.confidence)?.isPassed == true)
        let other = try await verifier().verify(try Self.bytes("example.rial"), files: [GivenFile(name: "x", bytes: [1])])
        #expect(other.outcome == .wrong && other.check(.file) == .failed("x is not a file that the verdict names."))
    }

    @Test("does not prove what was taken back")
    func revoked() async throws {
        let report = try await verifier().verify(try Self.bytes("revoked.rial"))
        #expect(report.outcome == .wrong)
        #expect(report.revocation == .init(reason: "device_revoked", sequence: 1, time: 1_794_534_402))
        #expect(report.checks.filter { $0.finding.isFailed }.map(\.name) == [.standing])
        #expect(report.verdict?.confidence == .high)
    }

    @Test("says when an authority stamped it, to whom its root is given")
    func stamped() async throws {
        let bytes = try Self.bytes("stamped.rial")
        let with = try await verifier(anchors: true).verify(bytes)
        #expect(with.outcome == .proved && with.check(.timestamp)?.isPassed == true, "\(with.checks)")
        #expect(with.entry?.stampedAt == Timestamp.parse("2026-11-22T01:32:31Z"))
        let without = try await verifier().verify(bytes)
        #expect(without.outcome == .proved && without.entry?.stampedAt == nil)
        #expect(without.notChecked.contains { $0.contains("time stamp") })
    }

    @Test("asks other modules about the owner's parts", arguments: ["owner", "owner-joined"])
    func owner(name: String) async throws {
        let report = try await verifier().verify(try Self.bytes("\(name).rial"))
        #expect(report.outcome == .proved, "\(report.checks)")
        #expect(report.check(.raw)?.isPassed == true && report.check(.attestation)?.isPassed == true)
        #expect(report.check(.assertion) == .passed("over photo+depth+metadata"))
        #expect(report.check(.depth)?.isPassed == (name == "owner-joined"))
        let alone = try await verifier(BundleExaminers()).verify(try Self.bytes("\(name).rial"))
        #expect(alone.outcome == .proved && alone.notChecked.count == 7, "\(alone.notChecked)")
    }

    @Test("does not believe what other modules refuse")
    func refusals() async throws {
        let refused = Finding.failed("no")
        let examiners = [
            BundleExaminers(device: { _ in DeviceFindings(attestation: refused, assertion: .passed("")) }),
            BundleExaminers(device: { _ in DeviceFindings(attestation: .passed(""), assertion: refused) }),
            BundleExaminers(depth: { _ in refused }), BundleExaminers(confidence: { _ in .medium }),
        ]
        for examiner in examiners {
            #expect(try await verifier(examiner).verify(try Self.bytes("owner-joined.rial")).outcome == .wrong)
        }
        let credentials = BundleExaminers(contentCredentials: { _ in refused })
        #expect(try await verifier(credentials).verify(try Self.bytes("example.rial")).outcome == .wrong)
    }

    @Test("refuses an owner's part that the device did not send")
    func changedParts() async throws {
        let bundle = try EvidenceBundle(try Self.bytes("owner-joined.rial"))
        let changes: [(inout EvidenceBundle.OwnerParts) -> Void] = [
            { $0.assertion?.append(0) }, { $0.attestation?.append(0) }, { $0.signed = .metadata([]) }, { $0.photo?.append(0) },
            { $0.depth?.append(0) }, { $0.signed = .payload([]) },
            { $0.raw = RawParts(digests: $0.raw.digests.filter { $0.key != .depth }, salt: $0.raw.salt) },
            { $0.raw = RawParts(digests: $0.raw.digests, salt: (try? SampleLog.salt(1)) ?? $0.raw.salt) },
        ]
        for change in changes {
            var changed = bundle
            if var owner = changed.owner {
                change(&owner)
                changed.owner = owner
            }
            #expect(changed != bundle)
            let report = try await verifier().verify(try changed.bytes())
            #expect(report.outcome == .wrong && report.check(.raw)?.isFailed == true)
            #expect(report.check(.assertion) == nil)
        }
    }
}

extension BundleExaminers {
    /// Stand-ins that look at what they are asked.
    static let samples = BundleExaminers(
        confidence: { evidence in
            if ([evidence.hardware, evidence.depth] + evidence.metadata).contains(.fail) { return .suspicious }
            return evidence.hardware == .pass && evidence.depth == .pass ? .high : .low
        },
        contentCredentials: { question in
            question.store == Array("example manifest".utf8) && question.witnessedAt == 1_793_534_405 ? .passed("ours") : .failed("another")
        },
        device: { question in
            let hash = question.clientDataHashes.first { $0.binding == question.binding }
            let digests = question.owner.raw.digests
            guard let hash, let photo = digests[.photo], let depth = digests[.depth], let metadata = digests[.metadata],
                hash.hash == CaptureClientData.hash(photo: photo, depth: depth, metadata: metadata)
            else { return DeviceFindings(attestation: .failed("asked otherwise"), assertion: .failed("asked otherwise")) }
            return DeviceFindings(attestation: .passed("chain"), assertion: .passed("over \(hash.binding.rawValue)"))
        },
        depth: { question in question.depth == Array("example depth".utf8) ? .passed("the same") : .failed("other bytes") })
}

extension BundleReport {
    /// The first finding of that name.
    func check(_ name: Check.Name) -> Finding? { checks.first { $0.name == name }?.finding }
}

extension Finding {
    var isPassed: Bool { if case .passed = self { true } else { false } }
}
