/// Why an API call failed.
public struct APIFailure: Error, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// No connection, a broken connection, or no response within the timeout.
        case unreachable
        /// The server responded with an error; see `status` and `serverCode`.
        case refused
        /// The response does not match the API's specification.
        case invalidResponse
        /// A file to be uploaded cannot be read, or changed during the upload.
        case unreadableFile
        /// The server did not finish within the timeout.
        case timeout
    }

    public let code: Code
    public let message: String
    /// HTTP status, for `refused`.
    public let status: Int?
    /// The envelope's code, such as `SIGNATURE_INVALID`.
    public let serverCode: String?
    /// The envelope's details, if any.
    public let details: JSONValue?
    public let requestID: String?
    /// From `Retry-After`.
    public let retryAfter: Duration?

    public init(
        _ code: Code, _ message: String, status: Int? = nil, serverCode: String? = nil, details: JSONValue? = nil,
        requestID: String? = nil, retryAfter: Duration? = nil
    ) {
        self.code = code
        self.message = message
        self.status = status
        self.serverCode = serverCode
        self.details = details
        self.requestID = requestID
        self.retryAfter = retryAfter
    }

    /// Whether a retry may succeed: the server was unreachable, overloaded, or limited the rate.
    public var isTransient: Bool {
        switch code {
        case .unreachable: true
        case .refused: status.map { [429, 502, 503, 504].contains($0) } ?? false
        case .invalidResponse, .unreadableFile, .timeout: false
        }
    }

    public var description: String {
        guard code == .refused, let status else { return message }
        let name = serverCode.map { "\($0), " } ?? ""
        let request = requestID.map { ", request \($0)" } ?? ""
        return "\(message) (\(name)HTTP \(status)\(request))"
    }
}
