import CaptureProtocol
import Foundation
import Logging
import Multipart

/// What is known of a capture's body before it is read.
struct IncomingBody: Sendable {
    /// The kind of capture that the body must contain.
    let type: CaptureType
    let boundary: MultipartBoundary
    /// When the gateway saw the head of the request that brings it, or its end.
    let begun: ContinuousClock.Instant
    /// The announced size; `nil` if unknown.
    var declaredBytes: Int?
    /// When the last byte came; `nil` for the database's time when the capture is recorded.
    var receivedAt: Date?
    /// What must still hold in the transaction that records the capture; `nil` for no condition.
    var condition: RecordingCondition?
    let logger: Logger
}
