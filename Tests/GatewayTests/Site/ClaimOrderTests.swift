import CaptureProtocol
import Foundation
import Models
import Persistence
import TestSupport
import Testing
import TransparencyLog

@testable import Gateway

@Suite("Order of claims", .enabled(if: SiteDatabase.isConfigured, SiteDatabase.hint))
struct ClaimOrderTests {
    @Test("by confidence, a development device's below its equals, then the oldest")
    func order() async throws {
        try await SiteDatabase.with { database in
            var expected: [CaptureID] = []
            // In the expected order; each was received before the previous one.
            let rows: [(ConfidenceLevel, Bool, String)] = [
                (.high, false, "AAAAAAAA"), (.high, true, "BBBBBBBB"), (.medium, false, "CCCCCCCC"), (.medium, true, "DDDDDDDD"),
                (.low, false, "EEEEEEEE"), (.suspicious, false, "FFFFFFFF"),
            ]
            for (number, (confidence, development, short)) in rows.enumerated() {
                // One device cannot claim a photo twice.
                let device = try await database.insertDevice()
                expected.append(
                    try await database.insertCapture(
                        of: device, short: short, Samples.Evidence(development: development).package, confidence,
                        at: Samples.received.addingTimeInterval(-60 * Double(number))))
            }
            let claims = try await VerificationRepository(database: database.pool).claims(of: Samples.digest)
            #expect(claims.map(\.row.id) == expected)
        }
    }

    @Test("one whose verdict was taken back comes last, until it is given again; its share picture is not published")
    func revoked() async throws {
        try await SiteDatabase.with { database in
            let package = Samples.Evidence(development: false).package
            let taken = try await database.insertCapture(
                of: try await database.insertDevice(), short: "AAAAAAAA", package, .high, at: Samples.received)
            let low = try await database.insertCapture(
                of: try await database.insertDevice(), short: "BBBBBBBB", package, .low, at: Samples.received)
            let repository = VerificationRepository(database: database.pool)
            let media = MediaObjectRepository(database: database.pool)
            try await database.insertMedia(taken, MediaName.shareCard.rawValue)
            func claims() async throws -> [CaptureID: Bool] {
                try await repository.claims(of: Samples.digest).reduce(into: [:]) { $0[$1.row.id] = $1.row.isRevoked }
            }
            try await database.insertStatement(on: taken, .assessment, sequence: 0)
            #expect(try await claims() == [taken: false, low: false])
            #expect(try await media.find(taken, .shareCard)?.isRevoked == false)

            try await database.insertStatement(on: taken, .revocation, sequence: 1)
            #expect(try await repository.claims(of: Samples.digest).map(\.row.id) == [low, taken])
            #expect(try await claims() == [taken: true, low: false])
            #expect(try await media.find(taken, .shareCard)?.isRevoked == true)

            try await database.insertStatement(on: taken, .reassessment, sequence: 2)
            #expect(try await repository.claims(of: Samples.digest).map(\.row.id) == [taken, low])
            #expect(try await claims() == [taken: false, low: false])
        }
    }

    @Test("a capture that cannot be read hides no other")
    func unreadable() async throws {
        try await SiteDatabase.with { database in
            let package = Samples.Evidence(development: false).package
            let first = try await database.insertCapture(
                of: try await database.insertDevice(), short: "AAAAAAAA", package, .high, at: Samples.received)
            let second = try await database.insertCapture(
                of: try await database.insertDevice(), short: "BBBBBBBB", package, .high, at: Samples.received)
            let repository = VerificationRepository(database: database.pool)
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
