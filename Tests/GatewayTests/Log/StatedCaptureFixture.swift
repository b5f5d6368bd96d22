import CaptureProtocol
import Foundation
import Models
import ObjectStorage
import TestSupport
import Testing
import TransparencyLog

@testable import Gateway

/// One capture of a photo with what is stated of it.
struct StatedCaptureFixture {
    let capture: CaptureID
    let subject: LogSubject
    let photo = Array("the photo".utf8)
    let metadata = Array(#"{"nonce":"a"}"#.utf8)
    let assertion = Array("assertion".utf8)
    let attestation = Array("attestation".utf8)
    let manifest = Array("manifest".utf8)
    let copy = Array("the photo with credentials".utf8)
    let raw: RawParts
    let evidence: [UInt8]

    init(_ capture: CaptureID = CaptureID()) throws {
        self.capture = capture
        subject = try #require(LogSubject(bytes: ContentDigest(of: Array(capture.description.utf8)).bytes.prefix(16)))
        raw = RawParts(
            digests: [
                .photo: ContentDigest(of: photo), .metadata: ContentDigest(of: metadata), .assertion: ContentDigest(of: assertion),
                .attestation: ContentDigest(of: attestation),
            ], salt: try Self.salt(9))
        evidence = try WireJSON.encode(Samples.Evidence().package)
    }

    static func salt(_ byte: UInt8) throws -> Salt { try #require(Salt(bytes: [UInt8](repeating: byte, count: 32))) }

    /// - Parameter later: how many seconds after the log's usual time it was made.
    func assessment(notBefore: Date? = nil, later: Int = 0) throws -> StoredStatement {
        let verdict = Verdict(
            kind: .photo, media: ContentDigest(of: photo),
            files: ["manifest.c2pa": ContentDigest(of: manifest), "c2pa.jpg": ContentDigest(of: copy)], manifest: "urn:c2pa:1",
            capturedAt: .exact(now), receivedAt: .exact(now), confidence: .high, algorithms: Samples.Evidence().package.algorithmVersions,
            evidence: ContentDigest(of: evidence), raw: raw.digest)
        let statement = try Statement(
            .assessment(verdict), capture: capture, subject: subject, sequence: 0, time: LogFixture.time + later, previous: nil)
        return StoredStatement(
            placed: PlacedStatement(kind: .assessment, notBefore: notBefore, place: nil), statement: statement, salt: try Self.salt(1),
            evidence: evidence, raw: raw)
    }

    /// Another verdict by another method of measuring depth.
    func reassessment(
        after first: StoredStatement, _ confidence: Verdict.Confidence, depth: String, sequence: Int
    ) throws -> StoredStatement {
        var verdict = try #require(first.statement.verdict)
        verdict.confidence = confidence
        verdict.algorithms["depth"] = depth
        let statement = try Statement(
            .reassessment(verdict), capture: capture, subject: subject, sequence: sequence, time: LogFixture.time + sequence,
            previous: first.statement.commitment(salt: first.salt))
        return StoredStatement(
            placed: PlacedStatement(kind: .reassessment, notBefore: nil, place: nil), statement: statement, salt: try Self.salt(3),
            evidence: evidence, raw: raw)
    }

    func revocation(after first: StoredStatement) throws -> StoredStatement {
        let statement = try Statement(
            .revocation(reason: "device_revoked"), capture: capture, subject: subject, sequence: 1, time: LogFixture.time,
            previous: first.statement.commitment(salt: first.salt))
        return StoredStatement(
            placed: PlacedStatement(kind: .revocation, notBefore: nil, place: nil), statement: statement, salt: try Self.salt(2),
            evidence: nil, raw: nil)
    }

    var owned: OwnedParts {
        OwnedParts(
            kind: .photo, metadata: metadata, assertion: assertion, attestation: attestation, clientDataHash: ContentDigest(of: [1]))
    }

    func row(_ status: String = "complete") throws -> CaptureRow { try EventCursorTests.row(status, of: capture) }

    /// Puts manifest and signed copy into the store.
    func publish(in store: MemoryObjectStore) async throws -> MemoryVerifications {
        let files = MemoryVerifications()
        _ = files.add(Samples.Evidence().package, .high, at: now, of: ContentDigest(of: photo), id: capture)
        for (name, bytes) in [(MediaName.manifest, manifest), (.signedCopy, copy)] {
            let object = StoredMedia(
                key: name.key(of: capture), sha256: ContentDigest(of: bytes), sizeBytes: Int64(bytes.count), contentType: name.contentType)
            try await store.put(object.key, bytes: bytes, contentType: object.contentType)
            files.publish(object, as: name, of: capture)
        }
        return files
    }
}
