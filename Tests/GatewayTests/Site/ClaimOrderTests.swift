import CaptureProtocol
import Foundation
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

    @Test("what is published is found, and whether the verdict that it shows was taken back", arguments: Backend.available)
    func published(backend: Backend) async throws {
        try await backend.with { rig in
            let taken = try await rig.insertComplete(Samples.Evidence(development: false).package, .high, at: Samples.received)
            #expect(try await rig.media.find(taken, .shareCard) == nil)
            try await rig.publish(.shareCard, of: taken)
            let kinds: [(Statement.Kind, Bool)] = [(.assessment, false), (.revocation, true), (.reassessment, false)]
            for (kind, isRevoked) in kinds {
                try await rig.state(kind, on: taken)
                let found = try #require(try await rig.media.find(taken, .shareCard))
                #expect(found.isRevoked == isRevoked && found.isTimePublic)
                #expect(found.media.key == "captures/\(taken)/\(MediaName.shareCard.rawValue)")
                #expect(found.media.sha256 == Samples.copyDigest && found.media.contentType == MediaName.shareCard.contentType)
            }
            #expect(try await rig.media.find(taken, .thumbnail) == nil)
            #expect(try await rig.media.find(CaptureID(), .shareCard) == nil)
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
            // Deeper than this version reads.
            let deep = #"{"a":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}"
            func spoil(_ capture: CaptureID) async throws {
                _ = try await database.pool.query("UPDATE captures SET detection = \(deep)::jsonb WHERE id = \(capture.uuid)")
            }
            try await spoil(first)
            #expect(try await repository.claims(of: Samples.digest).map(\.row.id) == [second])
            try await spoil(second)
            await #expect(throws: MetadataError.self) { try await repository.claims(of: Samples.digest) }
        }
    }
}
