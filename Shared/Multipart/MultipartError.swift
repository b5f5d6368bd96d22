/// Why a body is no acceptable multipart/form-data.
public enum MultipartError: Error, Sendable, Equatable {
    case notMultipart
    case badBoundary
    /// Something else than a delimiter, a header or CRLF stands where one must.
    case malformed
    case headerTooLarge
    /// A part without `Content-Disposition: form-data` or without a name.
    case unnamedPart
    case tooManyParts
    /// Bytes before the first or after the last delimiter beyond what is tolerated.
    case strayBytes
    /// The body ended before its closing delimiter.
    case truncated
}

/// What a multipart body may cost.
public struct MultipartLimits: Sendable {
    public var headerBytes = 8192
    public var parts = 64
    /// Of the preamble, and of the epilogue.
    public var strayBytes = 1024

    public init() {}
}

/// The headers of one part that matter.
public struct PartHeaders: Sendable, Equatable {
    /// The field's name, as sent, at most 8 KiB.
    public let name: String
    /// As sent but for control characters and path separators, which are removed; never to be used as a path.
    public let filename: String?
    public let contentType: String?
}
