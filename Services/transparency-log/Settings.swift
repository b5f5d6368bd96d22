import Foundation
import Models
import Secrets
import ServiceRuntime
import Signing
import TransparencyLog

/// The environment variables of `transparency-log`, read once at start.
struct Settings: EnvironmentSettings {
    let common: ServiceSettings
    let key: SigningKeySettings
    /// `nil` for no witnesses.
    let policy: TrustPolicy?
    /// The shortest time between two checkpoints, in seconds.
    let checkpointSeconds: Int
    let witnessTimeout: Duration
    let scrubDays: Int
    /// `nil` for no time stamps.
    let timestamps: TimestampSettings?

    init(_ environment: ServiceEnvironment) throws {
        common = try ServiceSettings(environment, service: .transparencyLog)
        key = try .log(environment)
        policy = try environment.policy("RIAL_LOG_POLICY") { try TrustPolicy($0) }
        checkpointSeconds = try environment.integer("RIAL_LOG_CHECKPOINT_SECONDS", default: 1, in: 1...3600)
        witnessTimeout = .milliseconds(try environment.integer("RIAL_LOG_WITNESS_TIMEOUT_MS", default: 2000, in: 50...10_000))
        scrubDays = try environment.integer("RIAL_LOG_SCRUB_DAYS", default: 7, in: 1...365)
        timestamps = try TimestampSettings(environment)
    }
}

/// The time-stamp authority that stamps the log's checkpoints, the anchors that its tokens are verified with, and how often it is asked.
struct TimestampSettings: Sendable {
    let authority: URL
    let anchors: TimestampAnchors
    let interval: TimeInterval

    /// - Returns: `nil` without an authority.
    init?(_ environment: ServiceEnvironment) throws {
        guard let authority = try environment.url("RIAL_LOG_TIMESTAMP_AUTHORITY") else { return nil }
        self.authority = authority
        interval = TimeInterval(try environment.integer("RIAL_LOG_TIMESTAMP_SECONDS", default: 3600, in: 1...604_800))
        do {
            anchors = try TimestampAnchors(pem: try environment.pem("RIAL_LOG_TIMESTAMP_ANCHORS"))
        } catch let error as BundleError {
            throw SettingsError("RIAL_LOG_TIMESTAMP_ANCHORS", "cannot be used: \(error)")
        }
    }
}

extension SigningKeySettings {
    static func log(_ environment: ServiceEnvironment) throws -> SigningKeySettings {
        try SigningKeySettings(
            environment, file: "RIAL_LOG_PRIVATE_KEY", module: "RIAL_LOG_PKCS11_MODULE", token: "RIAL_LOG_PKCS11_TOKEN",
            pin: "RIAL_LOG_PKCS11_PIN", keyLabel: "RIAL_LOG_PKCS11_KEY")
    }

    /// - Throws: `SettingsError` for wrong settings, and for a token that is not there: the service manager restarts the service until it
    ///   is.
    func signer() throws -> any MessageSigner {
        do {
            switch key {
            case .pem(let key): return try PEMMessageSigner(privateKeyPEM: key.value)
            case .token(let module, let label, let pin, let keyLabel):
                return try PKCS11MessageSigner(module: module, tokenLabel: label, pin: pin, keyLabel: keyLabel)
            }
        } catch {
            throw SettingsError(variable, "cannot be used: \(error)")
        }
    }
}
