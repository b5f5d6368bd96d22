/// Why a file cannot be verified.
enum VerificationError: Error, Equatable, Sendable {
    case fileMissing
    case fileEmpty
    case fileTwice
    /// Larger than ``SizeLimits/file``, or ``SizeLimits/video`` for videos.
    case fileTooLarge
    /// A part other than `file` is too large.
    case partTooLarge(name: String)
    case unsupportedFormat
    case inspectorsBusy
    case inspectorsUnavailable
}
