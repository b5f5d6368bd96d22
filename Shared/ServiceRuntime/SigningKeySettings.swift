public import Secrets

/// Where a signing key is: in a PEM file (development), or in a PKCS#11 token, which it never leaves (production).
public struct SigningKeySettings: Sendable {
    /// The text of the PEM file, or where a token has the key.
    public enum Key: Sendable {
        case pem(Secret<String>)
        case token(module: String, label: String, pin: Secret<String>, keyLabel: String)
    }
    public let key: Key
    /// The variable to name when the key cannot be used.
    public let variable: String

    /// - Parameters:
    ///   - file: the variable with the key in PEM.
    ///   - module: that with the PKCS#11 module; those that follow are of its token.
    /// - Throws: ``SettingsError`` if none or both are given, or the token's settings are incomplete.
    public init(
        _ environment: ServiceEnvironment, file: String, module: String, token: String, pin: String, keyLabel: String
    ) throws {
        guard let path = try environment.optional(module) else {
            variable = file
            key = .pem(Secret(try environment.pem(file)))
            return
        }
        guard try environment.optional(file) == nil else { throw SettingsError(file, "is set, and so is \(module): give one") }
        variable = module
        key = .token(
            module: path, label: try environment.required(token), pin: try environment.secret(pin),
            keyLabel: try environment.required(keyLabel))
    }

    /// Whether the key can be copied from a file or from this process's memory.
    public var isInFile: Bool {
        if case .pem = key { return true }
        return false
    }
}
