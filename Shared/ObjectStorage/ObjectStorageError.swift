import NIOHTTP1

/// What went wrong with the object store.
public struct ObjectStorageError: Error, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// There is no such object, and the store said so by name: 404 `NoSuchKey`.
        case notFound
        /// 404 without a word which of bucket and object is missing.
        case unexplained404
        case noSuchBucket, noSuchUpload, accessDenied, preconditionFailed
        /// Another answer that refuses.
        case rejected
        /// The object has more bytes than the reader holds.
        case tooLarge
        /// The object has other bytes than were accepted.
        case digestMismatch
        /// Not reached, timed out, or answering 5xx or `SlowDown`.
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

    /// Time or an operator may mend it: every answer but that the object is not there, or is not what it should be (SPEC §1).
    public var isTransient: Bool {
        switch code {
        case .notFound, .tooLarge, .digestMismatch: false
        default: true
        }
    }

    /// The store is away or busy, which often passes within moments: worth trying again at once.
    public var isUnreachable: Bool { code == .unavailable }

    /// What an answer outside 200…299 means.
    /// - Parameter code: S3's own word from the body; `nil` where there is none.
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
        case (408, _), (429, _), (500...599, _), (_, "SlowDown"?): .unavailable
        default: .rejected
        }
    }
}
