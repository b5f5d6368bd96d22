/// Why the segments of a JPEG could not be rewritten.
public struct JPEGError: Error, Equatable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// Not a JPEG, or malformed before the end of the image.
        case corrupt
        /// The EXIF does not fit its segment of 64 KiB.
        case tooLarge = "too_large"
    }

    public let code: Code
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(code.rawValue): \(message)" }
}
