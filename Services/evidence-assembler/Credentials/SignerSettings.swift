import ContentCredentials
import Foundation
import Secrets
import ServiceRuntime
import Signing

/// The certificates, the key and the time-stamp service with which Content Credentials are signed.
struct SignerSettings: Sendable {
    /// PEM: the signer's certificate, then its issuers.
    let certificates: String
    let key: SigningKeySettings
    /// An RFC 3161 service over HTTP; `nil` for no time stamps.
    let timestampAuthority: URL?

    init(_ environment: ServiceEnvironment) throws {
        certificates = try environment.pem("RIAL_C2PA_CERTIFICATES")
        timestampAuthority = try environment.url("RIAL_C2PA_TIMESTAMP_AUTHORITY")
        key = try SigningKeySettings(
            environment, file: "RIAL_C2PA_PRIVATE_KEY", module: "RIAL_C2PA_PKCS11_MODULE", token: "RIAL_C2PA_PKCS11_TOKEN",
            pin: "RIAL_C2PA_PKCS11_PIN", keyLabel: "RIAL_C2PA_PKCS11_KEY")
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
            switch key.key {
            case .pem(let key): return try PEMSigner(certificatesPEM: certificates, privateKeyPEM: key.value, at: now)
            case .token(let module, let label, let pin, let keyLabel):
                return try PKCS11Signer(
                    module: module, tokenLabel: label, pin: pin, keyLabel: keyLabel, certificatesPEM: certificates, at: now)
            }
        } catch SigningError.configuration(let problem) {
            throw SettingsError(key.variable, "and RIAL_C2PA_CERTIFICATES do not make a signer: \(problem)")
        } catch {
            throw SettingsError(key.variable, "cannot be used: \(error)")
        }
    }
}
