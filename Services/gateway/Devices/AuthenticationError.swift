/// Why a request is not authenticated as a device's.
enum AuthenticationError: Error, Equatable, Sendable {
    /// Their names.
    case missingHeaders([String])
    /// The signature version; the message lists the allowed ones.
    case unsupportedVersion(allowed: String)
    case unknownDevice
    case revokedDevice
    /// More than ``RequestTimestamp/windowMilliseconds`` from the current time.
    case timestampExpired
    case invalidSignature
}
