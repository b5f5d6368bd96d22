import CaptureProtocol
import ContentCredentials
import CoreMetrics
import Foundation
import InMemoryLogging
import Logging
import ManifestStore
import MediaStore
import MetricsTestKit
import Models
import ObjectStorage
import Persistence
import Signing
import TestSupport
import Testing

@testable import EvidenceAssembler

@Suite("Digests of signed copies of before, in memory and in PostgreSQL", .serialized, .sharedSchema("digests"))
struct CredentialDigestsTests {
    /// A copy that was signed before digests were recorded.
    private struct OldCopy {
        let row: UndigestedCredentials
        /// As the service records them now when it signs.
        let digests: CopyDigests
        var capture: CaptureID { row.capture }
    }

    /// Why a copy gets no digests.
    struct Refusal: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let reason: String
        /// Changes the copy's row, or the stored manifest that it names.
        let spoil: @Sendable (UndigestedCredentials, StoredMedia, MemoryObjectStore) async throws -> UndigestedCredentials

        init(
            _ testDescription: String, _ reason: String,
            spoil: @escaping @Sendable (UndigestedCredentials, StoredMedia, MemoryObjectStore) async throws -> UndigestedCredentials
        ) {
            self.testDescription = testDescription
            self.reason = reason
            self.spoil = spoil
        }
    }

    private let signer: PEMSigner
    private let metrics = TestMetrics()
    private let logs = InMemoryLogHandler()

    init() throws {
        let identity = try DevelopmentAuthority.make(algorithm: .ed25519, now: .now)
        signer = try PEMSigner(certificatesPEM: identity.chainPEM, privateKeyPEM: identity.privateKeyPEM, at: .now)
    }

    /// A rig without the copies of other tests of the suite.
    private func rig(_ backend: Backend) async throws -> any AssemblerRig {
        let rig = try backend.rig()
        if let rig = rig as? PostgresRig { _ = try await rig.database.query("TRUNCATE content_credentials") }
        return rig
    }

    /// Ordered as rows are asked for.
    private func captures(_ count: Int) -> [CaptureID] {
        (0..<count).map { _ in CaptureID() }.sorted { $0.description < $1.description }
    }

    /// Signs a photo of the capture and stores the manifest; the row is not added.
    private func sign(_ capture: CaptureID, in store: MemoryObjectStore) async throws -> OldCopy {
        let issuer = CredentialIssuer(
            writer: try CredentialWriter(signer: signer, timestampAuthority: nil), certificate: signer.certificate, storage: store,
            circuits: SigningCircuits(), logger: .quiet)
        let claim = CaptureClaim(
            captureID: capture, capturedAt: Samples.captured, evidence: Samples.Evidence().package, confidence: .high)
        let photo = try #require(PublicCopy(of: SampleCapture.picture(width: 160, height: 120), nil))
        let issuing = try await issuer.issue(claim, photo: photo, isTrial: false)
        let made: IssuedCredentials? = if case .made(let issued) = issuing { issued } else { nil }
        let issued = try #require(made)
        return OldCopy(
            row: UndigestedCredentials(
                capture: capture, manifestID: issued.manifestID, certificateSerial: issued.certificateSerial, manifest: issued.manifest),
            digests: CopyDigests(leaf: issued.leafDigest, manifest: issued.manifest.sha256))
    }

    /// Signs so many copies and adds their rows.
    private func signed(_ count: Int, in rig: any AssemblerRig) async throws -> [OldCopy] {
        var copies: [OldCopy] = []
        for capture in captures(count) {
            let copy = try await sign(capture, in: rig.store)
            try await rig.add(undigested: copy.row)
            copies.append(copy)
        }
        return copies
    }

    private func digests(_ copies: [OldCopy], in rig: any AssemblerRig) async throws -> [CopyDigests?] {
        var found: [CopyDigests?] = []
        for copy in copies { found.append(try await rig.digests(of: copy.capture)) }
        return found
    }

    /// One pass.
    private func fill(_ rig: any AssemblerRig) async throws {
        let digests = CredentialDigests(
            credentials: rig.credentials, storage: rig.store, logger: Logger(label: "tests") { _ in logs })
        try await withMetricsFactory(metrics) { try await digests.fill() }
    }

    /// How many the metric says are missing.
    private func missing() throws -> Double? { try metrics.expectMeter("rial_credential_digests_missing").lastValue }

    /// How many failures the metric counts, by its labels.
    private func failed() -> [String: Int64] {
        var failed: [String: Int64] = [:]
        for counter in metrics.counters(label: "rial_credential_digests_failed_total") {
            failed[counter.dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: ","), default: 0] += counter.totalValue
        }
        return failed
    }

    private func reads(_ store: MemoryObjectStore) -> Int { store.requests.filter { $0.verb == .get }.count }

    @Test("are asked for in an order, and the first ones saved stay", arguments: Backend.available)
    func order(backend: Backend) async throws {
        let rig = try await rig(backend)
        let captures = captures(3)
        for capture in captures.reversed() { try await rig.add(undigested: .nameless(capture)) }
        let all = try await rig.credentials.withoutDigests(after: nil, limit: 100).map(\.capture)
        #expect(all == captures)
        let first = try await rig.credentials.withoutDigests(after: nil, limit: 1).map(\.capture)
        #expect(first == [captures[0]])
        let others = try await rig.credentials.withoutDigests(after: captures[0], limit: 100).map(\.capture)
        #expect(others == [captures[1], captures[2]])
        let digests = [UInt8(1), 2].map { CopyDigests(leaf: ContentDigest(of: [$0]), manifest: ContentDigest(of: [$0, $0])) }
        for one in digests { try await rig.credentials.save(captures[0], leaf: one.leaf, manifest: one.manifest) }
        let kept = try await rig.digests(of: captures[0])
        #expect(kept == digests[0])
        let left = try await rig.credentials.withoutDigests(after: nil, limit: 100).map(\.capture)
        #expect(left == others)
        let count = try await rig.credentials.countWithoutDigests()
        #expect(count == 2)
    }

    @Test("are those that are recorded today when a copy is signed, and are computed once", arguments: Backend.available)
    func filled(backend: Backend) async throws {
        let rig = try await rig(backend)
        let copies = try await signed(2, in: rig)
        for _ in 0..<2 {
            try await fill(rig)
            let digests = try await digests(copies, in: rig)
            #expect(digests == copies.map(\.digests))
            #expect(reads(rig.store) == 2)
        }
        #expect(try missing() == 0)
        #expect(failed().isEmpty && logs.entries.isEmpty)
    }

    @Test("are computed in batches, and a whole batch of copies that get none holds up no other", arguments: Backend.available)
    func batches(backend: Backend) async throws {
        let rig = try await rig(backend)
        let captures = captures(CredentialDigests.batchSize + 1)
        for capture in captures.dropLast() { try await rig.add(undigested: .nameless(capture)) }
        let copy = try await sign(try #require(captures.last), in: rig.store)
        try await rig.add(undigested: copy.row)
        try await fill(rig)
        let digests = try await rig.digests(of: copy.capture)
        #expect(digests == copy.digests)
        #expect(try missing() == Double(CredentialDigests.batchSize))
        #expect(failed() == ["reason=object_missing": Int64(CredentialDigests.batchSize)])
    }

    private static let refusals: [Refusal] = [
        Refusal("no row names its manifest", "object_missing") { row, _, _ in row.naming(nil) },
        Refusal("its manifest is not in the store", "object_missing") { row, manifest, store in
            try await store.delete([manifest.key])
            return row
        },
        Refusal("a bit of its manifest is another", "digest_mismatch") { row, manifest, store in
            var bytes = try #require(store.bytes(manifest.key))
            bytes[bytes.count / 2] ^= 1
            try await store.put(manifest.key, bytes: bytes, contentType: manifest.contentType)
            return row
        },
        Refusal("its manifest is longer", "digest_mismatch") { row, manifest, store in
            let bytes = try #require(store.bytes(manifest.key))
            try await store.put(manifest.key, bytes: bytes + [0], contentType: manifest.contentType)
            return row
        },
        Refusal("its manifest does not end where it should", "digest_mismatch") { row, _, store in
            store.refuse { $0.verb == .get ? .tooLarge : nil }
            return row
        },
        Refusal("its manifest is larger than any of ours", "unreadable") { row, manifest, _ in
            row.naming(
                StoredMedia(
                    key: manifest.key, sha256: manifest.sha256, sizeBytes: Int64(EmbeddedStore.maximumBytes) + 1,
                    contentType: manifest.contentType))
        },
        Refusal("its manifest is none", "unreadable") { row, _, store in
            row.naming(try await store.storeDerived([1], named: .manifest, of: row.capture))
        },
        Refusal("its manifest has another label than the recorded one", "not_recorded") { row, manifest, _ in
            UndigestedCredentials(
                capture: row.capture, manifestID: row.manifestID + "0", certificateSerial: row.certificateSerial, manifest: manifest)
        },
        Refusal("its manifest has another certificate than the recorded one", "not_recorded") { row, manifest, _ in
            UndigestedCredentials(
                capture: row.capture, manifestID: row.manifestID, certificateSerial: row.certificateSerial + "0", manifest: manifest)
        },
    ]

    @Test("are not saved, and the reason is counted and logged, where", arguments: refusals)
    func refuses(_ refusal: Refusal) async throws {
        let rig = MemoryRig()
        let copy = try await sign(CaptureID(), in: rig.store)
        let row = try await refusal.spoil(copy.row, try #require(copy.row.manifest), rig.store)
        try await rig.add(undigested: row)
        try await fill(rig)
        let digests = try await rig.digests(of: copy.capture)
        #expect(digests == nil)
        #expect(try missing() == 1)
        #expect(failed() == ["reason=\(refusal.reason)": 1])
        let metadata: Logger.Metadata = ["capture_id": "\(copy.capture)", "reason": "\(refusal.reason)"]
        #expect(logs.entries.map(\.level) == [.error])
        #expect(logs.entries.map(\.metadata) == [metadata])
    }

    @Test("are left for a later pass where a manifest cannot be read now, and the other copies get theirs")
    func unread() async throws {
        let rig = MemoryRig()
        let copies = try await signed(3, in: rig)
        let away = try #require(copies[1].row.manifest).key
        rig.store.refuse { $0.key == away ? .unavailable : nil }
        try await fill(rig)
        let filled = try await digests(copies, in: rig)
        #expect(filled == [copies[0].digests, nil, copies[2].digests])
        #expect(try missing() == 1)
        #expect(failed().isEmpty && logs.entries.map(\.level) == [.warning])
        let logged = logs.entries.compactMap { $0.metadata["capture_id"]?.description }
        #expect(logged == [copies[1].capture.description])
        rig.store.refuse { _ in nil }
        try await fill(rig)
        let all = try await digests(copies, in: rig)
        #expect(all == copies.map(\.digests))
    }

    @Test("are left for a later pass when the store is away, which ends this one")
    func away() async throws {
        let rig = MemoryRig()
        let copies = try await signed(FailureLimit.failures + 1, in: rig)
        rig.store.refuse { _ in .unavailable }
        await #expect(throws: ObjectStorageError.self) { try await fill(rig) }
        #expect(reads(rig.store) == FailureLimit.failures, "the last one is not even tried")
        let none = try await digests(copies, in: rig)
        #expect(none.allSatisfy { $0 == nil })
        #expect(try missing() == Double(copies.count))
        #expect(failed().isEmpty)
        rig.store.refuse { _ in nil }
        try await fill(rig)
        let all = try await digests(copies, in: rig)
        #expect(all == copies.map(\.digests))
        #expect(try missing() == 0)
    }
}

extension UndigestedCredentials {
    /// Of a copy whose manifest no row names.
    fileprivate static func nameless(_ capture: CaptureID) -> UndigestedCredentials {
        UndigestedCredentials(capture: capture, manifestID: "urn:c2pa:\(capture)", certificateSerial: "1", manifest: nil)
    }

    fileprivate func naming(_ manifest: StoredMedia?) -> UndigestedCredentials {
        UndigestedCredentials(capture: capture, manifestID: manifestID, certificateSerial: certificateSerial, manifest: manifest)
    }
}
