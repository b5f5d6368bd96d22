import CaptureProtocol
import Foundation
import HTTPTypes

/// An error response: a stable code, a message for people, and details per field.
struct APIError: Error, Sendable {
    struct Detail: Sendable, Encodable, Equatable {
        let field: String
        let problem: String
    }

    /// A problem type of its own (RFC 9457 §3.1.1), with the members that its definition names.
    struct Problem: Sendable, Equatable {
        let type: String
        let title: String
        var expectedOffset: Int64?
        var providedOffset: Int64?
    }
    let code: ErrorCode
    let message: String
    /// `nil` for one that its status describes.
    var problem: Problem?
    var details: [Detail] = []
    /// A stable word, in `details` in the place of fields.
    var reason: String?
    var headers: HTTPFields = [:]
    /// For a withdrawn capture: when it was withdrawn. The response has the day only.
    private(set) var withdrawnAt: Date?

    init(_ code: ErrorCode, _ message: String, details: [Detail] = [], headers: HTTPFields = [:]) {
        self.code = code
        self.message = message
        self.details = details
        self.headers = headers
    }

    /// The capture was withdrawn.
    init(withdrawnAt: Date) {
        self.init(.gone, "This capture was withdrawn.")
        self.withdrawnAt = withdrawnAt
    }

    /// The day in UTC, such as `2026-11-23`.
    var withdrawnOn: String? { withdrawnAt.map { String(Timestamp.format($0).prefix(10)) } }

    /// A request field that is invalid.
    static func invalid(_ field: String, _ problem: String, code: ErrorCode = .validationError) -> APIError {
        APIError(code, "\(field) \(problem)", details: [Detail(field: field, problem: problem)])
    }

    static let nothingHere = APIError(.notFound, "There is nothing at this address.")
    static let noSuchCapture = APIError(.captureNotFound, "There is no such capture.")

    static func retryLater(_ code: ErrorCode, _ message: String, seconds: Int) -> APIError {
        APIError(code, message, headers: [.retryAfter: String(max(seconds, 1))])
    }
}
