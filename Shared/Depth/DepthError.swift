/// Why bytes are not the depth map they should be.
public struct DepthError: Error, Equatable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// A side outside 1...``DepthMap/maximumSide``.
        case dimensionsOutOfRange = "dimensions_out_of_range"
        /// The count of values or inflated bytes does not fit width × height.
        case shapeMismatch = "shape_mismatch"
        /// Neither gzip nor zlib nor raw DEFLATE, or damaged.
        case corrupt
        /// The stream ends before its end marker.
        case truncated
        /// Bytes follow the end of the stream.
        case trailingBytes = "trailing_bytes"
        /// Inflates to more than the caller allows.
        case tooLong = "too_long"
        /// zlib could not get memory; says nothing about the bytes.
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
