package import Foundation

/// A failed request for a page, with the data that its reader may see.
package struct PageFailure: Sendable {
    /// The HTTP status, 400 to 599.
    let status: Int
    /// The requested path.
    let path: String
    /// The request id by which the operator finds the request in the log.
    let requestID: String
    /// Seconds until a retry makes sense.
    let retrySeconds: TimeInterval
    /// When the record was withdrawn, of which the page tells the day; `nil` if it was not.
    let withdrawnAt: Date?

    package init(status: Int, path: String, requestID: String, retrySeconds: TimeInterval, withdrawnAt: Date? = nil) {
        self.status = status
        self.path = path
        self.requestID = requestID
        self.retrySeconds = retrySeconds
        self.withdrawnAt = withdrawnAt
    }
}
