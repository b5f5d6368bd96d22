import Logging

/// How a client speaks with brokers, and who it says it is.
public struct KafkaSecurity: Sendable {
    /// As Kafka and librdkafka name them.
    public enum Transport: String, Sendable, CaseIterable {
        case plaintext = "PLAINTEXT"
        case tls = "SSL"
        case saslPlaintext = "SASL_PLAINTEXT"
        case saslTLS = "SASL_SSL"

        public var isEncrypted: Bool { self == .tls || self == .saslTLS }
        /// The client gives a name and a password.
        public var hasLogin: Bool { self == .saslPlaintext || self == .saslTLS }
    }

    /// How the password is shown: as it is (RFC 4616), or by an answer to a challenge (RFC 5802).
    public enum Mechanism: String, Sendable, CaseIterable {
        case plain = "PLAIN"
        case scramSHA256 = "SCRAM-SHA-256"
        case scramSHA512 = "SCRAM-SHA-512"
    }

    public struct Login: Sendable {
        public var mechanism: Mechanism
        public var username: String
        public var password: String

        public init(mechanism: Mechanism, username: String, password: String) {
            self.mechanism = mechanism
            self.username = username
            self.password = password
        }
    }

    /// Whose certificates brokers may have: one or more in PEM, or the path of such a file. Without, the system's authorities count.
    public enum Authorities: Sendable {
        case pem(String)
        case file(String)
    }

    public var transport: Transport
    /// Used where the transport has a login.
    public var login: Login?
    /// Used where the transport is encrypted.
    public var authorities: Authorities?

    public init(transport: Transport = .plaintext, login: Login? = nil, authorities: Authorities? = nil) {
        self.transport = transport
        self.login = login
        self.authorities = authorities
    }

    /// The librdkafka properties. A broker's certificate has to name the host that was asked for.
    var properties: [(name: String, value: String)] {
        guard transport != .plaintext else { return [] }
        var all = [("security.protocol", transport.rawValue)]
        if transport.isEncrypted {
            all += [("enable.ssl.certificate.verification", "true"), ("ssl.endpoint.identification.algorithm", "https")]
            switch authorities {
            case .pem(let text): all.append(("ssl.ca.pem", text))
            case .file(let path): all.append(("ssl.ca.location", path))
            case nil: break
            }
        }
        if transport.hasLogin, let login {
            all += [
                ("sasl.mechanism", login.mechanism.rawValue), ("sasl.username", login.username), ("sasl.password", login.password),
            ]
        }
        return all
    }
}

extension KafkaSecurity: CustomStringConvertible, CustomReflectable {
    /// Never the password.
    public var description: String {
        transport.rawValue + (login.map { " as \($0.username) by \($0.mechanism.rawValue)" } ?? "")
    }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension KafkaConfiguration {
    /// Makes a client that knows no broker, and lets it go: what librdkafka itself finds wrong is known before anything starts.
    /// - Throws: ``KafkaError`` such as for authorities that cannot be read.
    public func check() throws {
        var alone = self
        alone.brokers = ""
        _ = try KafkaClient(alone, role: .admin, logger: Logger(label: "kafka"))
    }
}
