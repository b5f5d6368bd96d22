import CaptureProtocol
import Foundation
import ManifestStore
import Models
import Persistence
import TestSupport
import Testing
import TransparencyLog

@testable import Gateway

@Suite("Claims of files, in memory and in PostgreSQL")
struct ClaimOrderTests {
    @Test("are ordered by confidence, a development device's below its equals, then the oldest first", arguments: Backend.available)
    func order(backend: Backend) async throws {
        try await backend.with { rig in
            var expected: [CaptureID] = []
            // In the expected order; each was received before the previous one.
            let rows: [(ConfidenceLevel, Bool)] = [
                (.high, false), (.high, true), (.medium, false), (.medium, true), (.low, false), (.suspicious, false),
            ]
            for (number, (confidence, development)) in rows.enumerated() {
                expected.append(
                    try await rig.insertComplete(
                        Samples.Evidence(development: development).package, confidence,
                        at: Samples.received.addingTimeInterval(-60 * Double(number))))
            }
            let older = try await rig.insertComplete(
                Samples.Evidence().package, .suspicious, at: Samples.received.addingTimeInterval(-86_400))
            expected.insert(older, at: expected.count - 1)
            let claims = try await rig.verifications.claims(of: Samples.digest)
            #expect(claims.map(\.row.id) == expected && claims.allSatisfy { $0.matched == .original })
        }
    }

    @Test("one whose verdict was taken back comes last, until it is given again", arguments: Backend.available)
    func revoked(backend: Backend) async throws {
        try await backend.with { rig in
            let package = Samples.Evidence(development: false).package
            let taken = try await rig.insertComplete(package, .high, at: Samples.received)
            let low = try await rig.insertComplete(package, .low, at: Samples.received)
            func claims() async throws -> [CaptureID: Bool] {
                try await rig.verifications.claims(of: Samples.digest).reduce(into: [:]) { $0[$1.row.id] = $1.row.isRevoked }
            }
            try await rig.state(.assessment, on: taken)
            #expect(try await claims() == [taken: false, low: false])

            try await rig.state(.revocation, on: taken)
            #expect(try await rig.verifications.claims(of: Samples.digest).map(\.row.id) == [low, taken])
            #expect(try await claims() == [taken: true, low: false])

            try await rig.state(.reassessment, on: taken)
            #expect(try await rig.verifications.claims(of: Samples.digest).map(\.row.id) == [taken, low])
            #expect(try await claims() == [taken: false, low: false])
        }
    }

    @Test("are of published copies too, with what the copy is, and of nothing that is not published", arguments: Backend.available)
    func copies(backend: Backend) async throws {
        try await backend.with { rig in
            let capture = try await rig.insertComplete(Samples.Evidence().package, .high, at: Samples.received)
            let none = try await rig.verifications.claims(of: Samples.copyDigest)
            #expect(none.isEmpty)
            try await rig.publish(.thumbnail, of: capture)
            let claims = try await rig.verifications.claims(of: Samples.copyDigest)
            #expect(claims.map(\.row.id) == [capture] && claims.map(\.matched) == [.thumbnail])
            #expect(try await rig.verifications.claims(of: ContentDigest(of: [1])).isEmpty)
        }
    }

    @Test("of hash-only captures come after those of captures with media, whatever the confidence", arguments: Backend.available)
    func hashOnly(backend: Backend) async throws {
        try await backend.with { rig in
            let package = Samples.Evidence(development: false).package
            let without = try await rig.insertComplete(package, .high, at: Samples.received, sharing: .everything)
            let with = try await rig.insertComplete(package, .suspicious, at: Samples.received.addingTimeInterval(60))
            let claims = try await rig.verifications.claims(of: Samples.digest)
            #expect(claims.map(\.row.id) == [with, without] && claims.map(\.row.kind) == [.photo, .hashOnly])
        }
    }

    @Test("of captures that keep their time back stand at the begin of their day, whichever came first", arguments: Backend.available)
    func keptBack(backend: Backend) async throws {
        try await backend.with { rig in
            let package = Samples.Evidence(development: false).package
            func insert(_ time: TimePrecision, after hours: Double) async throws -> CaptureID {
                try await rig.insertComplete(
                    package, .high, at: Samples.received.addingTimeInterval(hours * 3600),
                    sharing: MetadataFlags(location: .none, timestamp: time, device: .none))
            }
            let exact = try await insert(.exact, after: 0)
            let before = try await insert(.exact, after: -24)
            let kept = [
                try await insert(.day, after: 2), try await insert(.none, after: 1), try await insert(.day, after: -1),
                try await insert(.none, after: -2),
            ].sorted { $0.description < $1.description }
            let claims = try await rig.verifications.claims(of: Samples.digest)
            #expect(claims.map(\.row.id) == [before] + kept + [exact])
        }
    }

    @Test("are of the manifest store that we made, with the certificate that signed it, and of no other", arguments: Backend.available)
    func stores(backend: Backend) async throws {
        try await backend.with { rig in
            let capture = try await rig.insertComplete(Samples.Evidence().package, .high, at: Samples.received)
            _ = try await rig.insertComplete(Samples.Evidence().package, .high, at: Samples.received)
            let own = try Self.store("urn:c2pa:1", leaf: 1)
            let before = try await rig.verifications.claims(of: own)
            #expect(before.isEmpty)
            try await rig.sign(capture, with: own)
            let claims = try await rig.verifications.claims(of: own)
            #expect(claims.map(\.row.id) == [capture] && claims.map(\.matched) == [.signedCopy])
            let others: [(label: String, leaf: UInt8, note: UInt8)] = [("urn:c2pa:2", 1, 0), ("urn:c2pa:1", 2, 0), ("urn:c2pa:1", 1, 1)]
            for other in others {
                let none = try await rig.verifications.claims(of: try Self.store(other.label, leaf: other.leaf, note: other.note))
                #expect(none.isEmpty)
            }
        }
    }

    @Test("are none of what was withdrawn, and its record says when that was", arguments: Backend.available)
    func withdrawn(backend: Backend) async throws {
        try await backend.with { rig in
            let taken = try await rig.insertComplete(Samples.Evidence().package, .high, at: Samples.received)
            let left = try await rig.insertComplete(Samples.Evidence().package, .low, at: Samples.received)
            let store = try Self.store("urn:c2pa:1", leaf: 1)
            try await rig.publish(.thumbnail, of: taken)
            try await rig.sign(taken, with: store)
            let shortID = try #require(try await rig.records.record(taken)).row.shortID
            try await rig.withdrawComplete(taken)
            #expect(try await rig.verifications.claims(of: Samples.digest).map(\.row.id) == [left])
            #expect(try await rig.verifications.claims(of: Samples.copyDigest).isEmpty)
            #expect(try await rig.verifications.claims(of: store).isEmpty)
            await #expect(throws: WithdrawnCapture.self) { _ = try await rig.records.record(taken) }
            await #expect(throws: WithdrawnCapture.self) { _ = try await rig.records.record(shortID: shortID) }
            #expect(try await rig.records.record(left)?.claimingDevices == 1)
        }
    }

    @Test("lookups are logged for thirty days, without what would tell a client from its network", arguments: Backend.available)
    func log(backend: Backend) async throws {
        try await backend.with { rig in
            let capture = try await rig.insertComplete(Samples.Evidence().package, .high, at: Samples.received)
            let entries = [
                LoggedVerification(
                    method: .file, digest: Samples.digest, network: "192.0.2.0/24", status: "verified", capture: capture),
                LoggedVerification(
                    method: .hash, digest: ContentDigest(of: [1]), network: "unknown", status: "no_record", capture: nil),
            ]
            func log(_ entry: LoggedVerification) async throws {
                try await rig.verifications.log(
                    entry.method, digest: entry.digest, network: entry.network, status: entry.status, capture: entry.capture)
            }
            try await log(entries[0])
            try await rig.ageVerifications(days: 29)
            try await log(entries[1])
            try await rig.verifications.sweep()
            let kept = try await rig.loggedVerifications()
            #expect(kept == entries)
            try await rig.ageVerifications(days: 2)
            try await rig.verifications.sweep()
            let left = try await rig.loggedVerifications()
            #expect(left == [entries[1]])
        }
    }

    @Test("a record has what its page shows, and how many devices claim its file", arguments: Backend.available)
    func record(backend: Backend) async throws {
        try await backend.with { rig in
            let id = try await rig.insertComplete(Samples.Evidence().package, .medium, at: Samples.received)
            try await rig.publish(.thumbnail, of: id)
            let alone = try #require(try await rig.records.record(id))
            #expect(alone.row.id == id && alone.row.status == .complete && alone.row.confidence == .medium)
            #expect(alone.model == "iPhone 15 Pro" && !alone.isDevelopment && alone.signedAt == nil && alone.issuer == nil)
            #expect(alone.media.mapValues(\.sha256) == [.thumbnail: Samples.copyDigest])
            #expect(alone.claimingDevices == 1 && !alone.isReassessed)
            _ = try await rig.insertComplete(Samples.Evidence().package, .low, at: Samples.received)
            for kind in [Statement.Kind.assessment, .reassessment] { try await rig.state(kind, on: id) }
            let shared = try #require(try await rig.records.record(shortID: alone.row.shortID))
            #expect(shared.row.id == id && shared.claimingDevices == 2 && shared.isReassessed)
            try await rig.sign(id, with: try Self.store("urn:c2pa:1", leaf: 1))
            let signed = try #require(try await rig.records.record(id))
            #expect(signed.signedAt == Samples.received && signed.issuer == MemoryVerifications.issuer)
            #expect(try await rig.records.record(CaptureID()) == nil)
            #expect(try await rig.records.record(shortID: "none") == nil)
        }
    }

    @Test("a capture that cannot be read hides no other", .enabled(if: SiteDatabase.isConfigured, SiteDatabase.hint))
    func unreadable() async throws {
        try await SiteDatabase.with { database in
            let package = Samples.Evidence(development: false).package
            let first = try await database.insertCapture(
                of: try await database.insertDevice(), short: "AAAAAAAA", package, .high, at: Samples.received)
            let second = try await database.insertCapture(
                of: try await database.insertDevice(), short: "BBBBBBBB", package, .high, at: Samples.received)
            let repository = PostgresVerificationRepository(database: database.pool)
            // What a device reports is left out where it is deeper than this version reads.
            let deep = #"{"a":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}"
            _ = try await database.pool.query("UPDATE captures SET detection = \(deep)::jsonb WHERE id = \(first.uuid)")
            let both = try await repository.claims(of: Samples.digest)
            #expect(Set(both.map(\.row.id)) == [first, second] && both.allSatisfy { $0.row.detection == nil })
            // Evidence of a form that this version does not read.
            func spoil(_ capture: CaptureID) async throws {
                _ = try await database.pool.query("UPDATE captures SET evidence = '{}' WHERE id = \(capture.uuid)")
            }
            try await spoil(first)
            #expect(try await repository.claims(of: Samples.digest).map(\.row.id) == [second])
            try await spoil(second)
            await #expect(throws: (any Error).self) { try await repository.claims(of: Samples.digest) }
        }
    }

    /// A manifest store that has only a signature, and of that only the certificate.
    private static func store(_ label: String, leaf: UInt8, note: UInt8 = 0) throws -> StoreIdentity {
        // A tagged COSE_Sign1 with the chain (33) in the protected header, no payload and no signature.
        let header: [UInt8] = [0xa1, 0x18, 33, 0x41, leaf]
        let signature: [UInt8] = [0xd2, 0x84, 0x45] + header + [0xa0, 0xf6, 0x40]
        let manifest = superbox("c2pa.signature", box("cbor", signature)) + box("free", [note])
        return try #require(StoreIdentity(superbox("c2pa", superbox(label, manifest))))
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let length = UInt32(content.count + 8)
        let head: [UInt8] = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
        return head + Array(type.utf8) + content
    }

    /// A superbox begins with its description: a UUID, toggles and the label.
    private static func superbox(_ label: String, _ content: [UInt8]) -> [UInt8] {
        let description: [UInt8] = [UInt8](repeating: 0, count: 16) + [3] + Array(label.utf8) + [0]
        return box("jumb", box("jumd", description) + content)
    }
}
