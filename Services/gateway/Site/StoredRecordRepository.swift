import CaptureProtocol
import Foundation
import Models

/// A capture with everything that its page shows.
struct StoredRecord: Sendable {
    let row: CaptureRow
    /// As the device reported it.
    let model: String
    let isDevelopment: Bool
    /// When the Content Credentials were signed, and by whom; `nil` without credentials.
    let signedAt: Date?
    let issuer: String?
    /// Devices with a complete capture of exactly this file.
    let claimingDevices: Int
    /// Whether there is more than one verdict, perhaps.
    let isReassessed: Bool
    /// The published objects by name; never the original or its depth map.
    let media: [MediaName: StoredMedia]
}

/// Reads captures for the site.
protocol StoredRecordRepository: Sendable {
    /// - Returns: `nil` if there is no such capture.
    /// - Throws: `WithdrawnCapture` if it was withdrawn.
    func record(_ id: CaptureID) async throws -> StoredRecord?

    /// - Returns: `nil` if there is no such capture.
    /// - Throws: `WithdrawnCapture` if it was withdrawn.
    func record(shortID: String) async throws -> StoredRecord?
}
