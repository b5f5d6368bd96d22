/// How strongly a device's identity is proved.
public enum AttestationLevel: String, Codable, Sendable {
    case secureEnclave = "secure_enclave"
    case unverified
}
