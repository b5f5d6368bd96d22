/// Why a picture could not be read or written.
public struct ImagingError: Error, Equatable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// Not a JPEG, or damaged beyond decoding.
        case corrupt
        /// Exceeds ``ImageLimits``; detected from the header alone.
        case tooLarge = "too_large"
        /// An unsupported kind of JPEG: lossless, arithmetic-coded, 12 bits or CMYK.
        case unsupported
        /// More scans than cameras write.
        case tooManyScans = "too_many_scans"
        /// Pixels that do not match the given size, or a quality out of range: an error of the caller.
        case invalidArgument = "invalid_argument"
        /// The codec failed to encode the picture.
        case encodingFailed = "encoding_failed"
        /// The codec could not allocate memory, which says nothing of the picture.
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
