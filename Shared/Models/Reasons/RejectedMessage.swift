public import CaptureProtocol

/// A message that can never succeed; the capture's `failure` shows its reason.
public struct RejectedMessage: Error, CustomStringConvertible {
    public let reason: FailureReason
    public let detail: String
    public init(_ reason: FailureReason, detail: String = "") {
        self.reason = reason
        self.detail = detail
    }
    public var description: String { detail.isEmpty ? reason.rawValue : "\(reason.rawValue): \(detail)" }
}
