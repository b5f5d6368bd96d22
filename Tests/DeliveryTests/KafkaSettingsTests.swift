import Foundation
import Messaging
import Models
import Secrets
import Testing

@testable import Delivery
@testable import ServiceRuntime

@Suite("How the brokers are reached")
struct KafkaSettingsTests {
    private static let login = [
        "RIAL_KAFKA_SASL_MECHANISM": "SCRAM-SHA-512", "RIAL_KAFKA_SASL_USERNAME": "gateway", "RIAL_KAFKA_SASL_PASSWORD": "secret",
    ]

    private func read(_ variables: [String: String], _ mode: RunMode? = .development) throws -> KafkaConfiguration {
        try KafkaSettings.read(
            ServiceEnvironment(variables.merging(["RIAL_KAFKA_BROKERS": "localhost:1"]) { given, _ in given }), clientID: "tests",
            mode: mode)
    }

    private func variable(_ variables: [String: String], _ mode: RunMode? = .development) -> String? {
        do {
            _ = try read(variables, mode)
            return nil
        } catch {
            return (error as? SettingsError)?.variable ?? "\(error)"
        }
    }

    @Test("each protocol takes what belongs to it")
    func protocols() throws {
        #expect(try read([:]).security.transport == .plaintext)
        #expect(try read(["RIAL_KAFKA_SECURITY_PROTOCOL": "SSL"]).security.transport == .tls)
        for name in ["SASL_SSL", "SASL_PLAINTEXT"] {
            for mechanism in ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] {
                let given = Self.login.merging(["RIAL_KAFKA_SECURITY_PROTOCOL": name, "RIAL_KAFKA_SASL_MECHANISM": mechanism]) { $1 }
                let security = try read(given).security
                #expect(security.transport.rawValue == name && security.login?.mechanism.rawValue == mechanism)
                #expect(security.login?.username == "gateway" && security.login?.password.value == "secret")
            }
        }
    }

    @Test("a session lasts six seconds without a heartbeat, or what is given in its bounds")
    func session() throws {
        #expect(try read([:]).sessionTimeout == .seconds(6))
        #expect(try read(["RIAL_KAFKA_SESSION_TIMEOUT_MS": "2000"]).sessionTimeout == .seconds(2))
        for value in ["0", "999", "60001", "2s"] {
            #expect(variable(["RIAL_KAFKA_SESSION_TIMEOUT_MS": value]) == "RIAL_KAFKA_SESSION_TIMEOUT_MS", "\(value)")
        }
    }

    @Test("the password may be in a file")
    func file() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "rial-\(UUID())")
        try Data("from file\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var given = Self.login
        given["RIAL_KAFKA_SASL_PASSWORD"] = nil
        given["RIAL_KAFKA_SASL_PASSWORD_FILE"] = file.path
        given["RIAL_KAFKA_SECURITY_PROTOCOL"] = "SASL_SSL"
        #expect(try read(given).security.login?.password.value == "from file")
    }

    @Test("what is missing, unknown or contradictory is named")
    func contradictions() {
        #expect(variable(["RIAL_KAFKA_SECURITY_PROTOCOL": "TLS"]) == "RIAL_KAFKA_SECURITY_PROTOCOL")
        for name in Self.login.keys {
            var given = Self.login.merging(["RIAL_KAFKA_SECURITY_PROTOCOL": "SASL_SSL"]) { $1 }
            given[name] = nil
            #expect(variable(given) == name)
            for transport in ["PLAINTEXT", "SSL"] {
                #expect(variable(["RIAL_KAFKA_SECURITY_PROTOCOL": transport, name: Self.login[name] ?? ""]) == name)
            }
        }
        #expect(
            variable(Self.login.merging(["RIAL_KAFKA_SECURITY_PROTOCOL": "SASL_SSL", "RIAL_KAFKA_SASL_MECHANISM": "GSSAPI"]) { $1 })
                == "RIAL_KAFKA_SASL_MECHANISM")
        #expect(variable(["RIAL_KAFKA_CA": "/etc/hosts"]) == "RIAL_KAFKA_CA")
        #expect(
            variable(Self.login.merging(["RIAL_KAFKA_SECURITY_PROTOCOL": "SASL_PLAINTEXT", "RIAL_KAFKA_CA": "/etc/hosts"]) { $1 })
                == "RIAL_KAFKA_CA")
        let garbage = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"
        for authority in ["/nowhere", "/etc/hosts", garbage] {
            #expect(variable(["RIAL_KAFKA_SECURITY_PROTOCOL": "SSL", "RIAL_KAFKA_CA": authority]) == "RIAL_KAFKA_CA")
        }
    }

    @Test("in production nothing travels in the clear unless that is said")
    func production() {
        let open = ["RIAL_KAFKA_ALLOW_PLAINTEXT": "1"]
        for given in [
            [:], ["RIAL_KAFKA_SECURITY_PROTOCOL": "PLAINTEXT"],
            Self.login.merging(["RIAL_KAFKA_SECURITY_PROTOCOL": "SASL_PLAINTEXT"]) { $1 },
        ] {
            #expect(variable(given, .production) == "RIAL_KAFKA_SECURITY_PROTOCOL")
            #expect(variable(given.merging(open) { $1 }, .production) == nil)
            #expect(variable(given, .development) == nil)
            #expect(variable(given, nil) == nil)
        }
        for transport in ["SSL", "SASL_SSL"] {
            let given = (transport == "SSL" ? [:] : Self.login).merging(["RIAL_KAFKA_SECURITY_PROTOCOL": transport]) { $1 }
            #expect(variable(given, .production) == nil)
        }
        // A password in plain text (PLAIN without TLS) is rejected even if plaintext connections are allowed.
        let shown = Self.login.merging(["RIAL_KAFKA_SECURITY_PROTOCOL": "SASL_PLAINTEXT", "RIAL_KAFKA_SASL_MECHANISM": "PLAIN"]) { $1 }
        #expect(variable(shown.merging(open) { $1 }, .production) == "RIAL_KAFKA_SASL_MECHANISM")
    }
}

@Suite("Who may do what with topics")
struct TopicAccessTests {
    @Test("every topic has who writes it and who reads it, and every dead-letter topic its one writer")
    func complete() {
        let reading = ServiceName.allCases.flatMap { service in TopicAccess.reads(service).map { ($0, service) } }
        for (topic, services) in Topic.consumers {
            #expect(ServiceName.allCases.contains { TopicAccess.writes($0).contains(topic) }, "\(topic)")
            #expect(reading.contains { $0.0 == topic }, "\(topic)")
            for name in services {
                let letters = topic.deadLetters(of: name)
                #expect(ServiceName.allCases.filter { TopicAccess.writes($0).contains(letters) } == [name])
            }
        }
    }

    @Test("no service may write what another one decides")
    func leastRights() {
        let writers: [Topic: Set<ServiceName>] = [
            .registrationSubmitted: [.gateway], .registrationAppraised: [.attestationVerifier],
            .captureReceived: [.gateway, .uploadSync], .attestationAppraised: [.attestationVerifier], .depthAnalyzed: [.depthAnalyzer],
            .mediaSynced: [.uploadSync], .evidenceAssembled: [.evidenceAssembler],
            .deviceRevoked: [.attestationVerifier],
            .evidenceLogged: [.transparencyLog],
        ]
        for (topic, services) in writers {
            #expect(Set(ServiceName.allCases.filter { TopicAccess.writes($0).contains(topic) }) == services, "\(topic)")
        }
        for service in ServiceName.allCases {
            let rights = TopicAccess.rights(service)
            #expect(Set(rights).count == rights.count && rights.allSatisfy { $0.user == service.rawValue })
            // Other groups have other prefixes.
            let groups = rights.compactMap { right in if case .groups(let prefix) = right.resource { prefix } else { nil as String? } }
            #expect(groups == [TopicAccess.groupPrefix(service)])
            for other in ServiceName.allCases where other != service {
                #expect(!TopicAccess.groupPrefix(other).hasPrefix(groups[0]))
            }
        }
    }

    @Test("fetches often only where a photo's evidence would be later otherwise")
    func fetchWait() {
        var kafka = KafkaConfiguration(brokers: "broker:9092", clientID: "service")
        kafka.fetchWait = .milliseconds(12)
        for (topic, services) in Topic.consumers {
            for service in services {
                let wait: Duration =
                    switch topic {
                    case .captureReceived where service == .depthAnalyzer, .depthAnalyzed: .milliseconds(12)
                    case .captureReceived, .attestationAppraised, .mediaSynced: .milliseconds(40)
                    case .registrationSubmitted: .milliseconds(100)
                    default: .milliseconds(250)
                    }
                #expect(kafka.fetching([topic], by: service).fetchWait == wait, "\(topic), \(service)")
            }
        }
        #expect(kafka.fetching(TopicAccess.wakes, by: .gateway).fetchWait == .milliseconds(50))
        kafka.fetchWait = .milliseconds(500)
        for service in ServiceName.allCases {
            #expect(kafka.fetching(TopicAccess.reads(service), by: service).fetchWait == .milliseconds(500), "as it was set")
        }
    }

    @Test("takes no partition from a consumer whose video is decoded twice")
    func pollInterval() {
        let kafka = KafkaConfiguration(brokers: "broker:9092", clientID: "service")
        #expect(kafka.fetching([.captureReceived], by: .depthAnalyzer).maximumPollInterval == .seconds(300))
        #expect(kafka.fetching([.videoReceived], by: .depthAnalyzer).maximumPollInterval == .seconds(1200))
    }
}
