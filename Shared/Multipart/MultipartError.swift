/// Why a body is not acceptable multipart/form-data.
public enum MultipartError: Error, Sendable, Equatable {
    case notMultipart
    case badBoundary
    /// A delimiter, a header or CRLF is missing where one is required.
    case malformed
    case headerTooLarge
    /// A part without `Content-Disposition: form-data`, without a name, or with one of more than 100 bytes.
    case unnamedPart
    case tooManyParts
    /// More bytes before the first or after the last delimiter than allowed.
    case strayBytes
    /// The body ended before its closing delimiter.
    case truncated
}

/// Bounds on parsing a multipart body.
public struct MultipartLimits: Sendable {
    public var headerBytes = 8192
    public var parts = 64
    /// The limit for the preamble, and for the epilogue.
    public var strayBytes = 1024

    public init() {}
}

/// The headers of one part that are used.
public struct PartHeaders: Sendable, Equatable {
    /// The field's name, as sent, at most 100 bytes.
    public let name: String
    /// As sent, but without control characters and path separators; never use it as a path.
    public let filename: String?
    public let contentType: String?
}
