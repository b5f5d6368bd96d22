/// What is wrong with the body of a registration.
enum RegistrationError: Error, Equatable, Sendable {
    /// - Parameter field: its path, or `body`.
    case invalid(field: String, problem: String)
    case unsupportedPlatform
}
