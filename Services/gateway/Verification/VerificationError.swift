/// Why a file is not verified.
enum VerificationError: Error, Equatable, Sendable {
    case fileMissing
    case fileEmpty
    case fileTwice
    /// Than ``SizeLimits/file``, or ``SizeLimits/video``.
    case fileTooLarge
    /// Another part than the file.
    case partTooLarge(name: String)
    case unsupportedFormat
    /// On the disk.
    case noSpace
    case inspectorsBusy
    case inspectorsUnavailable
}
