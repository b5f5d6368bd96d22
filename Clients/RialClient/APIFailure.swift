/// Why a call of the API failed.
public struct APIFailure: Error, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// There was no connection, or it broke, or no response came in time.
        case unreachable
        /// The server responded with an error; see `status` and `serverCode`.
        case refused
        /// The response is not what the API specifies.
        case invalidResponse
        /// A file to be sent cannot be read, or changed while it was sent.
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

    /// A retry may succeed: the server was unreachable or overloaded, or limits the rate.
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
