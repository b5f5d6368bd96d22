import NIOHTTP1

/// An error of the object store.
public struct ObjectStorageError: Error, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// There is no such object: 404 with the code `NoSuchKey`.
        case notFound
        /// 404 without a code that tells whether the bucket or the object is missing.
        case unexplained404
        case noSuchBucket, noSuchUpload, accessDenied, preconditionFailed
        /// 416: the object ends before the range.
        case rangeNotSatisfiable
        /// The store rejected the request for another reason.
        case rejected
        /// The object is larger than the reader's limit.
        case tooLarge
        /// The object's size or digest differs from the accepted one.
        case digestMismatch
        /// Unreachable, timed out, or responding with 5xx or `SlowDown`.
        case unavailable
        case invalidResponse
    }
    public let code: Code
    public let message: String
    public var description: String { "object storage \(code.rawValue): \(message)" }

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Whether a retry may succeed, perhaps only after an operator has acted: true for all errors except a missing or different object
    /// (SPEC §1).
    public var isTransient: Bool {
        switch code {
        case .notFound, .tooLarge, .digestMismatch: false
        default: true
        }
    }

    /// Whether the store is unavailable or busy, which often lasts only moments: worth an immediate retry.
    public var isUnreachable: Bool { code == .unavailable }

    /// The error for a response outside 200…299.
    /// - Parameter code: the S3 error code from the body; `nil` if there is none.
    init(_ request: S3Request, status: HTTPResponseStatus, code: String?) {
        let message = "\(request.method.rawValue) \(request.key ?? "bucket"): \(status.code) \(code ?? status.reasonPhrase)"
        self.init(Self.code(request, status, code), message)
    }

    private static func code(_ request: S3Request, _ status: HTTPResponseStatus, _ code: String?) -> Code {
        switch (status.code, code) {
        case (404, "NoSuchKey"?): .notFound
        case (404, "NoSuchUpload"?): .noSuchUpload
        case (404, "NoSuchBucket"?): .noSuchBucket
        case (404, nil) where request.key == nil: .noSuchBucket
        case (404, nil): .unexplained404
        case (401, _), (403, _): .accessDenied
        case (412, _): .preconditionFailed
        case (416, _): .rangeNotSatisfiable
        // Two conditional writes of one key at once: the other may be undone yet.
        case (409, "ConditionalRequestConflict"?): .unavailable
        case (408, _), (429, _), (500...599, _), (_, "SlowDown"?): .unavailable
        default: .rejected
        }
    }
}
