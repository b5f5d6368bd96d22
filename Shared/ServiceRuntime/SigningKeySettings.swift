/// Where a signing key is: in a PEM file (development), or in a PKCS#11 token, which it never leaves (production).
public struct SigningKeySettings: Sendable {
    public enum Key: Sendable {
        case pem(Secret<String>)
        case token(module: String, label: String, pin: Secret<String>, keyLabel: String)
    }
    public let key: Key
    /// The variable to name when the key cannot be used.
    public let variable: String

    /// - Parameter prefix: that of its variables: `RIAL_LOG` for `RIAL_LOG_PRIVATE_KEY`, `RIAL_LOG_PKCS11_MODULE` and so on.
    /// - Throws: ``SettingsError`` if none or both are given, or the token's settings are incomplete.
    public init(_ environment: ServiceEnvironment, prefix: String) throws {
        let (file, token) = (prefix + "_PRIVATE_KEY", prefix + "_PKCS11_MODULE")
        guard let module = try environment.optional(token) else {
            variable = file
            key = .pem(Secret(try environment.pem(file)))
            return
        }
        guard try environment.optional(file) == nil else { throw SettingsError(file, "is set, and so is \(token): give one") }
        variable = token
        key = .token(
            module: module, label: try environment.required(prefix + "_PKCS11_TOKEN"),
            pin: Secret(try environment.required(prefix + "_PKCS11_PIN")), keyLabel: try environment.required(prefix + "_PKCS11_KEY"))
    }

    /// Whether the key can be copied from a file or from this process's memory.
    public var isInFile: Bool {
        if case .pem = key { return true }
        return false
    }
}
