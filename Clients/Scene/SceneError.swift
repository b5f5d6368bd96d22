/// Why a scene could not be rendered.
public struct SceneError: Error, Equatable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// A size, orientation or text out of range.
        case invalidOptions = "invalid_options"
        /// The photo or its EXIF could not be encoded.
        case encodingFailed = "encoding_failed"
    }

    public let code: Code
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(code.rawValue): \(message)" }
}
