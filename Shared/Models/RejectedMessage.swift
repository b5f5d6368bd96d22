/// A message that can never succeed; `reason` is a stable word that the capture's `failure` shows.
public struct RejectedMessage: Error, CustomStringConvertible {
    public let reason: String
    public let detail: String
    public init(reason: String, detail: String = "") {
        self.reason = reason
        self.detail = detail
    }
    public var description: String { detail.isEmpty ? reason : "\(reason): \(detail)" }
}
