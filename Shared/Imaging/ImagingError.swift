/// Why a picture could not be read or written.
public struct ImagingError: Error, Equatable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// Not a JPEG, or damaged beyond decoding.
        case corrupt
        /// Larger than ``ImageLimits`` allow; refused from the header alone.
        case tooLarge = "too_large"
        /// A JPEG of a kind that is not decoded: lossless, arithmetic-coded, 12 bits or CMYK.
        case unsupported
        /// More scans than a camera writes.
        case tooManyScans = "too_many_scans"
        /// Pixels that do not fit the given size, or a quality out of range: the caller's mistake.
        case invalidArgument = "invalid_argument"
        /// The codec could not write the picture.
        case encodingFailed = "encoding_failed"
    }

    public let code: Code
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(code.rawValue): \(message)" }
}
