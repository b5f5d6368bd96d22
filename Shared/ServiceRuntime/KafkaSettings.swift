import Foundation
public import Messaging

/// Reads the Kafka settings (SPEC §12), for services and operator commands.
public enum KafkaSettings {
    /// - Parameter mode: `nil` for operator commands, which may use connections without encryption.
    /// - Throws: ``SettingsError`` for settings that are missing, contradictory, or less secure than production mode allows.
    public static func read(_ environment: ServiceEnvironment, clientID: String, mode: RunMode?) throws -> KafkaConfiguration {
        var kafka = KafkaConfiguration(brokers: try environment.required("RIAL_KAFKA_BROKERS"), clientID: clientID)
        kafka.leavesGroup = try environment.integer("RIAL_KAFKA_LEAVE_GROUP", default: 1, in: 0...1) == 1
        kafka.sessionTimeout = .milliseconds(try environment.integer("RIAL_KAFKA_SESSION_TIMEOUT_MS", default: 6000, in: 1000...60_000))
        kafka.fetchWait = .milliseconds(try environment.integer("RIAL_KAFKA_FETCH_WAIT_MS", default: 500, in: 1...5000))
        kafka.security = try security(environment, mode)
        guard kafka.security.transport != .plaintext else { return kafka }
        do {
            try kafka.check()
        } catch let error as KafkaError {
            let variable = error.message.contains("ssl.ca") ? "RIAL_KAFKA_CA" : "RIAL_KAFKA_SECURITY_PROTOCOL"
            throw SettingsError(variable, "cannot be used: \(error.message)")
        }
        return kafka
    }

    private static func security(_ environment: ServiceEnvironment, _ mode: RunMode?) throws -> KafkaSecurity {
        let transport = try environment.choice("RIAL_KAFKA_SECURITY_PROTOCOL", KafkaSecurity.Transport.self, default: .plaintext)
        let mayBeOpen = try environment.integer("RIAL_KAFKA_ALLOW_PLAINTEXT", default: 0, in: 0...1) == 1
        if mode == .production, !transport.isEncrypted, !mayBeOpen {
            throw SettingsError(
                "RIAL_KAFKA_SECURITY_PROTOCOL",
                "is \(transport.rawValue): production mode requires encryption (SSL or SASL_SSL), or RIAL_KAFKA_ALLOW_PLAINTEXT=1 if the network is trusted"
            )
        }
        let login = try login(environment, transport)
        if mode == .production, transport == .saslPlaintext, login?.mechanism == .plain {
            throw SettingsError(
                "RIAL_KAFKA_SASL_MECHANISM", "is PLAIN, which over SASL_PLAINTEXT sends the password in clear text: use SCRAM, or SASL_SSL"
            )
        }
        return KafkaSecurity(transport: transport, login: login, authorities: try authorities(environment, transport))
    }

    private static func login(_ environment: ServiceEnvironment, _ transport: KafkaSecurity.Transport) throws -> KafkaSecurity.Login? {
        let names = ["RIAL_KAFKA_SASL_MECHANISM", "RIAL_KAFKA_SASL_USERNAME", "RIAL_KAFKA_SASL_PASSWORD"]
        guard transport.hasLogin else {
            for name in names where try environment.optional(name) != nil {
                throw SettingsError(name, "is set, but RIAL_KAFKA_SECURITY_PROTOCOL is \(transport.rawValue), which has no login")
            }
            return nil
        }
        return KafkaSecurity.Login(
            mechanism: try environment.choice(names[0], KafkaSecurity.Mechanism.self), username: try environment.required(names[1]),
            password: try environment.secret(names[2]))
    }

    private static func authorities(
        _ environment: ServiceEnvironment, _ transport: KafkaSecurity.Transport
    ) throws -> KafkaSecurity.Authorities? {
        let name = "RIAL_KAFKA_CA"
        guard let value = try environment.optional(name) else { return nil }
        guard transport.isEncrypted else {
            throw SettingsError(name, "is set, but RIAL_KAFKA_SECURITY_PROTOCOL is \(transport.rawValue), which is not encrypted")
        }
        if value.contains("-----BEGIN CERTIFICATE-----") { return .pem(value) }
        guard let text = try? String(contentsOfFile: value, encoding: .utf8), text.contains("-----BEGIN CERTIFICATE-----") else {
            throw SettingsError(name, "is neither a certificate in PEM nor the path of a file with one")
        }
        return .file(value)
    }
}
