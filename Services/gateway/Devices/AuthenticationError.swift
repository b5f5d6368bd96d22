/// Why a request is not taken for a device's.
enum AuthenticationError: Error, Equatable, Sendable {
    /// By their names.
    case missingHeaders([String])
    /// Of the signature; the message names those that are allowed.
    case unsupportedVersion(allowed: String)
    case unknownDevice
    case revokedDevice
    /// More than ``RequestTimestamp/windowMilliseconds`` off.
    case timestampExpired
    case invalidSignature
}
