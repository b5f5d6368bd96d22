import ContentCredentials
import Foundation
import ServiceRuntime
import Signing

/// Which key signs Content Credentials: one in a PEM file (development), or one that never leaves a PKCS#11 token (production).
struct SignerSettings: Sendable {
    enum Key: Sendable {
        case pem(Secret<String>)
        case token(module: String, label: String, pin: Secret<String>, keyLabel: String)
    }
    /// PEM: the signer's certificate, then its issuers.
    let certificates: String
    let key: Key
    /// An RFC 3161 service over HTTP; `nil` for no time stamps.
    let timestampAuthority: URL?

    init(_ environment: ServiceEnvironment) throws {
        certificates = try environment.pem("RIAL_C2PA_CERTIFICATES")
        timestampAuthority = try environment.optional("RIAL_C2PA_TIMESTAMP_AUTHORITY").map { text in
            guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host() != nil else {
                throw SettingsError("RIAL_C2PA_TIMESTAMP_AUTHORITY", "must be an http or https address, not “\(text)”")
            }
            return url
        }
        guard let module = try environment.optional("RIAL_C2PA_PKCS11_MODULE") else {
            key = .pem(Secret(try environment.pem("RIAL_C2PA_PRIVATE_KEY")))
            return
        }
        guard try environment.optional("RIAL_C2PA_PRIVATE_KEY") == nil else {
            throw SettingsError("RIAL_C2PA_PRIVATE_KEY", "is set, and so is RIAL_C2PA_PKCS11_MODULE: give one")
        }
        key = .token(
            module: module, label: try environment.required("RIAL_C2PA_PKCS11_TOKEN"),
            pin: Secret(try environment.required("RIAL_C2PA_PKCS11_PIN")), keyLabel: try environment.required("RIAL_C2PA_PKCS11_KEY"))
    }

    /// Makes the signer and checks that its key matches a certificate of the right profile.
    /// - Throws: ``SettingsError`` for wrong settings, and for an unavailable token: the service manager then restarts the service until
    ///   the token is back.
    func signer(at now: Date) throws -> any ClaimSigner & Sendable {
        do {
            try SigningCertificate(pem: certificates).check(at: now)
        } catch SigningError.configuration(let problem) {
            throw SettingsError("RIAL_C2PA_CERTIFICATES", "cannot be signed with: \(problem)")
        }
        do {
            switch key {
            case .pem(let key): return try PEMSigner(certificatesPEM: certificates, privateKeyPEM: key.value, at: now)
            case .token(let module, let label, let pin, let keyLabel):
                return try PKCS11Signer(
                    module: module, tokenLabel: label, pin: pin.value, keyLabel: keyLabel, certificatesPEM: certificates, at: now)
            }
        } catch SigningError.configuration(let problem) {
            throw SettingsError(keyVariable, "and RIAL_C2PA_CERTIFICATES do not make a signer: \(problem)")
        } catch {
            throw SettingsError(keyVariable, "cannot be used: \(error)")
        }
    }

    /// Whether the key can be copied from a file or from this process's memory.
    var isKeyInFile: Bool {
        if case .pem = key { return true }
        return false
    }

    private var keyVariable: String {
        if case .token = key { return "RIAL_C2PA_PKCS11_MODULE" }
        return "RIAL_C2PA_PRIVATE_KEY"
    }
}
