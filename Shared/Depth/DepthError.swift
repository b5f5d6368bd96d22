/// Why bytes are not a valid depth map.
public struct DepthError: Error, Equatable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// A side outside 1...``DepthMap/maximumSide``.
        case dimensionsOutOfRange = "dimensions_out_of_range"
        /// The number of values or inflated bytes does not match width × height.
        case shapeMismatch = "shape_mismatch"
        /// Neither gzip nor zlib nor raw DEFLATE, or damaged.
        case corrupt
        /// The stream ends before its end marker.
        case truncated
        /// Bytes follow the end of the stream.
        case trailingBytes = "trailing_bytes"
        /// It inflates to more bytes than the caller allows.
        case tooLong = "too_long"
        /// What it inflates to is refused by its reader.
        case malformed
        /// Keyframes of a video that do not follow each other in time, or too many of them.
        case outOfOrder = "out_of_order"
        /// zlib could not allocate memory; the bytes may be valid.
        case outOfMemory = "out_of_memory"
    }

    public let code: Code
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(code.rawValue): \(message)" }
}
