/// Why bytes are not a statement, leaf, token or bundle in the form of SPEC §14, or why values cannot be made into one.
public struct BundleError: Error, Equatable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// Text that is not in the canonical form of JSON.
        case json
        /// Canonical JSON that is not a statement.
        case statement
        case leaf
        /// An archive that is not in the one possible form.
        case archive
        /// Names of entries that a bundle does not have, or not in this order.
        case names
        /// An entry whose content has another form.
        case content
        /// Larger than anything that we make.
        case tooLarge = "too_large"
        /// A time-stamp answer.
        case timestamp
    }

    public let code: Code
    /// For the log and the command line: what is wrong, and where.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
