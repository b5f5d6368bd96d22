import CaptureProtocol
import Foundation
import Logging
import Multipart

/// What is known of a capture's body before it is read.
struct IncomingBody: Sendable {
    /// What it must be.
    let type: CaptureType
    let boundary: MultipartBoundary
    /// The announced size; `nil` if unknown.
    var declaredBytes: Int?
    /// When the last byte came; `nil` for the database's time when the capture is recorded.
    var receivedAt: Date?
    /// Of which the capture is recorded.
    var condition: RecordingCondition?
    let logger: Logger
}
