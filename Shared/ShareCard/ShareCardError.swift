/// Why a card could not be made.
public struct ShareCardError: Error, Equatable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// A font file that the card needs is not installed, or is not a font.
        case fontMissing = "font_missing"
        /// The photo is not a JPEG that can be decoded; a card without it can be drawn.
        case photoUnreadable = "photo_unreadable"
        /// cairo or Pango could not draw, most likely because memory ran out.
        case drawingFailed = "drawing_failed"
        /// The picture could not be written as JPEG.
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
