/// Why a registration body is invalid.
enum RegistrationError: Error, Equatable, Sendable {
    /// - Parameter field: the field's path, or `body`.
    case invalid(field: String, problem: String)
    case unsupportedPlatform
}
