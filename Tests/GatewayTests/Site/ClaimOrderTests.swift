import CaptureProtocol
import Foundation
import Models
import TestSupport
import Testing

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
}
