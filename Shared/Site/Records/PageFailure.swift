package import Foundation

/// A request for a page that failed, as far as its reader is told.
package struct PageFailure: Sendable {
    /// Of HTTP, 400 to 599.
    let status: Int
    /// What was asked for.
    let path: String
    /// What the operator finds it by.
    let requestID: String
    /// After how many seconds it may be tried again.
    let retrySeconds: TimeInterval

    package init(status: Int, path: String, requestID: String, retrySeconds: TimeInterval) {
        self.status = status
        self.path = path
        self.requestID = requestID
        self.retrySeconds = retrySeconds
    }
}
