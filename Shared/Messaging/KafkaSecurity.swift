import Logging
public import Secrets

/// Encryption and login of the connections to brokers.
public struct KafkaSecurity: Sendable {
    /// As Kafka and librdkafka name them.
    public enum Transport: String, Sendable, CaseIterable {
        case plaintext = "PLAINTEXT"
        case tls = "SSL"
        case saslPlaintext = "SASL_PLAINTEXT"
        case saslTLS = "SASL_SSL"

        public var isEncrypted: Bool { self == .tls || self == .saslTLS }
        /// Whether the client logs in with a name and a password.
        public var hasLogin: Bool { self == .saslPlaintext || self == .saslTLS }
    }

    /// How the client authenticates: it sends the password (RFC 4616), or responds to a challenge (RFC 5802).
    public enum Mechanism: String, Sendable, CaseIterable {
        case plain = "PLAIN"
        case scramSHA256 = "SCRAM-SHA-256"
        case scramSHA512 = "SCRAM-SHA-512"
    }

    /// A user of the brokers.
    public struct Login: Sendable {
        public var mechanism: Mechanism
        public var username: String
        public var password: Secret<String>

        public init(mechanism: Mechanism, username: String, password: Secret<String>) {
            self.mechanism = mechanism
            self.username = username
            self.password = password
        }
    }

    /// The trust anchors for brokers' certificates: PEM text, or the path of a PEM file. The default is the system's trust store.
    public enum Authorities: Sendable {
        case pem(String)
        case file(String)
    }

    public var transport: Transport
    /// Used if the transport has a login.
    public var login: Login?
    /// Used if the transport is encrypted.
    public var authorities: Authorities?

    public init(transport: Transport = .plaintext, login: Login? = nil, authorities: Authorities? = nil) {
        self.transport = transport
        self.login = login
        self.authorities = authorities
    }

    /// The librdkafka properties. A broker's certificate must be valid for the host that the client connects to.
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
                ("sasl.mechanism", login.mechanism.rawValue), ("sasl.username", login.username), ("sasl.password", login.password.value),
            ]
        }
        return all
    }
}

extension KafkaSecurity: CustomStringConvertible, CustomReflectable {
    /// Never contains the password.
    public var description: String {
        transport.rawValue + (login.map { " as \($0.username) by \($0.mechanism.rawValue)" } ?? "")
    }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension KafkaConfiguration {
    /// Creates and drops a client without brokers, so that librdkafka's own validation fails before anything starts.
    /// - Throws: ``KafkaError``, for example if the authorities cannot be read.
    public func check() throws {
        var alone = self
        alone.brokers = ""
        _ = try KafkaClient(alone, role: .admin, logger: Logger(label: "kafka"))
    }
}
