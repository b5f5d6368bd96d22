import CaptureProtocol
import Models

/// A published object, and whether anyone may know when it was made: the store's own answers say it (`Last-Modified`).
struct PublishedObject: Sendable {
    let media: StoredMedia
    let isTimePublic: Bool
    /// Whether the capture's verdict was taken back.
    let isRevoked: Bool
}

/// Looks up published objects.
protocol MediaObjectRepository: Sendable {
    /// - Returns: `nil` if the capture has no such object.
    /// - Throws: `WithdrawnCapture` if it was withdrawn.
    func find(_ capture: CaptureID, _ name: MediaName) async throws -> PublishedObject?
}
