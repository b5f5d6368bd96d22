/// Sends HTTP requests: `URLSession` with pins on iOS, AsyncHTTPClient elsewhere (`RialClient`).
///
/// It follows no redirects, adds no cookies, retries nothing, and allows at least TLS 1.3 only.
public protocol HTTPTransport: Sendable {
    /// Makes one attempt.
    /// - Parameter progress: called with the number of body bytes handed to the network so far.
    /// - Throws: ``TransportFailure``; errors of reading the body unchanged; `CancellationError`.
    func send(_ request: HTTPRequest, progress: @escaping @Sendable (Int64) -> Void) async throws -> HTTPResponse

    /// The server's scheme, host and port, such as `https://example.com:8443`, without a trailing slash: what an address that the server
    /// gives must begin with. `nil` if it is not known; then only addresses without them are followed.
    var origin: String? { get }
}

extension HTTPTransport {
    public var origin: String? { nil }

    public func send(_ request: HTTPRequest) async throws -> HTTPResponse { try await send(request) { _ in } }
}

/// One request, without the fields that a transport adds itself: `Host` and `Content-Length`.
public struct HTTPRequest: Sendable {
    public let method: String
    /// Path with query; the transport has the server's address.
    public let target: String
    public let headers: [(name: String, value: String)]
    /// `nil` for no body.
    public let body: (any HTTPBody)?

    public init(_ method: String, _ target: String, headers: [(name: String, value: String)] = [], body: (any HTTPBody)? = nil) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }
}

/// The final response to a request, read to its end.
public struct HTTPResponse: Sendable {
    public let status: Int
    /// Names in lower case.
    public let headers: [String: String]
    /// At most 4 MiB.
    public let body: [UInt8]

    public init(status: Int, headers: [String: String], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// A body that is read piece by piece, from its beginning for each attempt.
public protocol HTTPBody: Sendable {
    var contentLength: Int64 { get }
    func makeReader() throws -> any HTTPBodyReader
    /// Reads it once, from this byte on; if this is not implemented, by reading what is before it, too.
    /// - Parameter offset: 0…``contentLength``.
    func makeReader(from offset: Int64) throws -> any HTTPBodyReader
}

extension HTTPBody {
    public func makeReader(from offset: Int64) throws -> any HTTPBodyReader { SkippingReader(try makeReader(), skipping: offset) }
}

/// Reads a body once; used by one task at a time.
public protocol HTTPBodyReader: Sendable {
    /// - Returns: 1 to 262,144 bytes; `nil` at the end.
    func next() async throws -> [UInt8]?
}

/// A body in memory.
public struct BytesBody: HTTPBody {
    public let bytes: [UInt8]
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
    public var contentLength: Int64 { Int64(bytes.count) }
    public func makeReader() -> any HTTPBodyReader { makeReader(from: 0) }
    public func makeReader(from offset: Int64) -> any HTTPBodyReader { Reader(bytes, offset: Int(clamping: max(offset, 0))) }

    private actor Reader: HTTPBodyReader {
        private let bytes: [UInt8]
        private var offset: Int
        init(_ bytes: [UInt8], offset: Int) {
            self.bytes = bytes
            self.offset = offset
        }
        func next() -> [UInt8]? {
            guard offset < bytes.count else { return nil }
            defer { offset = min(offset + 262_144, bytes.count) }
            return Array(bytes[offset...].prefix(262_144))
        }
    }
}

/// Drops the front of what another reader gives.
actor SkippingReader: HTTPBodyReader {
    private let reader: any HTTPBodyReader
    private var toSkip: Int64

    init(_ reader: any HTTPBodyReader, skipping offset: Int64) {
        self.reader = reader
        toSkip = max(offset, 0)
    }

    func next() async throws -> [UInt8]? {
        while let piece = try await reader.next() {
            guard toSkip > 0 else { return piece }
            let dropped = Int(min(toSkip, Int64(piece.count)))
            toSkip -= Int64(dropped)
            if dropped < piece.count { return Array(piece[dropped...]) }
        }
        return nil
    }
}

/// Why there is no response. None of these says anything about the capture.
public enum TransportFailure: Error, Sendable, Equatable {
    /// No connection, a broken one, no response in time, or one that is too long.
    case unreachable(String)
    /// The server's certificate or its pin is wrong, or it speaks no TLS 1.3; nothing was sent.
    case untrusted(String)
}
