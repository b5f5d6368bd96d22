import Foundation
import Messaging
import Secrets
import TestSupport
import Testing

@Suite("Secure broker connections")
struct SecurityTests {
    private func configuration(_ broker: StandInBroker, _ security: KafkaSecurity) -> KafkaConfiguration {
        var configuration = KafkaConfiguration(brokers: broker.address, clientID: "tests")
        configuration.security = security
        return configuration
    }

    private func isLetIn(_ broker: StandInBroker, _ security: KafkaSecurity, within limit: Duration = .seconds(30)) async -> Bool {
        await KafkaAdmin(configuration(broker, security)).brokersReachable(timeout: limit)
    }

    @Test("a broker under our authority is reached over TLS, with the authority as a file or as text")
    func trusted() async throws {
        let authority = try TestAuthority()
        let broker = try StandInBroker(authority)
        let pem = try String(contentsOf: authority.root, encoding: .utf8)
        for authorities in [KafkaSecurity.Authorities.file(authority.root.path), .pem(pem)] {
            #expect(await isLetIn(broker, KafkaSecurity(transport: .tls, authorities: authorities)))
        }
    }

    @Test("a broker with another authority, another name or an unknown authority is refused")
    func distrusted() async throws {
        let (ours, other, misnamed) = (try TestAuthority(), try TestAuthority(), try TestAuthority(host: "elsewhere.example"))
        let (broker, wrongName) = (try StandInBroker(ours), try StandInBroker(misnamed))
        let trusting = { (authority: TestAuthority) in KafkaSecurity(transport: .tls, authorities: .file(authority.root.path)) }
        #expect(await !isLetIn(broker, trusting(other), within: .seconds(2)))
        #expect(await !isLetIn(broker, KafkaSecurity(transport: .tls), within: .seconds(2)))
        #expect(await !isLetIn(wrongName, trusting(misnamed), within: .seconds(2)))
        // A plaintext connection to a port that expects TLS.
        #expect(await !isLetIn(broker, KafkaSecurity(), within: .seconds(2)))
    }

    @Test("each login mechanism works only with the right password", arguments: KafkaSecurity.Mechanism.allCases)
    func login(mechanism: KafkaSecurity.Mechanism) async throws {
        let authority = try TestAuthority()
        let trusted = KafkaSecurity.Authorities.file(authority.root.path)
        for transport in [KafkaSecurity.Transport.saslTLS, .saslPlaintext] {
            let makeBroker = {
                try StandInBroker(
                    transport.isEncrypted ? authority : nil, mechanism: mechanism.rawValue, user: "gateway", password: "right")
            }
            // One each: connections of a client that was let in may tell of it late.
            let (broker, strict) = (try makeBroker(), try makeBroker())
            let security = { (user: String, password: String) in
                KafkaSecurity(
                    transport: transport, login: .init(mechanism: mechanism, username: user, password: Secret(password)),
                    authorities: transport.isEncrypted ? trusted : nil)
            }
            #expect(await isLetIn(broker, security("gateway", "right")))
            try await eventually(within: .seconds(30), "the broker told of the login") {
                broker.told.contains { $0.contains(#""login": "gateway""#) }
            }
            #expect(await !isLetIn(strict, security("gateway", "wrong"), within: .seconds(1)))
            #expect(await !isLetIn(strict, security("other", "right"), within: .seconds(1)))
            #expect(!strict.told.contains { $0.contains(#""login""#) })
        }
    }

    @Test("producer, consumer and topic reader use the admin's security settings")
    func everyClient() async throws {
        let authority = try TestAuthority()
        let broker = try StandInBroker(authority, mechanism: "SCRAM-SHA-256", user: "rial", password: "right")
        let configuration = configuration(
            broker,
            KafkaSecurity(
                transport: .saslTLS, login: .init(mechanism: .scramSHA256, username: "rial", password: Secret("right")),
                authorities: .file(authority.root.path)))
        var expected = 0
        func another(_ client: String) async throws {
            expected += 1
            try await eventually(within: .seconds(30), client) { broker.told.count { $0.contains(#""tls": true"#) } >= expected }
            expected = broker.told.count
        }
        let producer = try KafkaProducer(configuration, logger: logger)
        try await another("the producer logged in")
        let consumer = try KafkaConsumer(configuration, topics: ["t"], group: "g", logger: logger)
        let polling = Task { try await consumer.next() }
        try await another("the consumer logged in")
        consumer.stop()
        _ = try await polling.value
        await consumer.close()
        #expect(try await KafkaTopicReader(configuration).read(topic: "t", limit: 1).isEmpty)
        try await another("the reader logged in")
        await producer.flush(timeout: .zero)
    }

    @Test("settings that librdkafka cannot use are refused before anything starts")
    func checks() throws {
        let garbage = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        var configuration = KafkaConfiguration(brokers: "localhost:1", clientID: "tests")
        for authorities in [KafkaSecurity.Authorities.pem(garbage), .file("/nowhere/root.pem")] {
            configuration.security = KafkaSecurity(transport: .tls, authorities: authorities)
            #expect(throws: KafkaError.self) { try configuration.check() }
        }
        for mechanism in KafkaSecurity.Mechanism.allCases {
            for transport in KafkaSecurity.Transport.allCases {
                configuration.security = KafkaSecurity(
                    transport: transport, login: .init(mechanism: mechanism, username: "u", password: Secret("p")))
                try configuration.check()
            }
        }
    }

    @Test("no description contains the password")
    func secret() {
        var configuration = KafkaConfiguration(brokers: "b", clientID: "tests")
        configuration.security = KafkaSecurity(
            transport: .saslTLS, login: .init(mechanism: .plain, username: "gateway", password: Secret("hunter2")))
        var text = ""
        dump(configuration, to: &text)
        #expect(!text.contains("hunter2") && !"\(configuration)".contains("hunter2") && text.contains("gateway"))
    }

    @Test("nor does that of the login alone")
    func loginAlone() {
        let login = KafkaSecurity.Login(mechanism: .plain, username: "gateway", password: Secret("hunter2"))
        var text = "\(login) \(String(reflecting: login))"
        dump(login, to: &text)
        #expect(!text.contains("hunter2") && text.contains("gateway") && text.contains("password: (secret)"))
    }

    @Test("access rights reach the broker unchanged")
    func rights() async throws {
        let broker = try StandInBroker(nil)
        try await KafkaAdmin(configuration(broker, KafkaSecurity())).allow([
            KafkaRight(user: "gateway", .write, .topic("t.v1")), KafkaRight(user: "gateway", .read, .groups(prefix: "gateway-")),
            KafkaRight(user: "upload-sync", .create, .topic("t.v1")),
        ])
        // Kafka's codes: topic 2, group 3; literal 3, prefixed 4; read 3, write 4, create 5; allow 3.
        try await eventually(within: .seconds(30), "the broker was told") {
            broker.told == [
                #"{"acl": [2, "t.v1", 3, "User:gateway", "*", 4, 3]}"#, #"{"acl": [3, "gateway-", 4, "User:gateway", "*", 3, 3]}"#,
                #"{"acl": [2, "t.v1", 3, "User:upload-sync", "*", 5, 3]}"#,
            ]
        }
    }
}

@Suite("Where a new group begins")
struct OffsetResetTests {
    @Test("at the earliest record by default, or after the latest")
    func offsets() async throws {
        let cluster = try MockCluster()
        let topic = "test-" + UUID().uuidString.lowercased()
        try cluster.createTopic(topic, partitions: 1)
        var configuration = KafkaConfiguration(brokers: cluster.brokers, clientID: "tests")
        let producer = try KafkaProducer(configuration, logger: logger)
        for index in 0..<3 { try await producer.send(topic: topic, key: nil, value: "old \(index)".bytes) }
        let earliest = try KafkaConsumer(configuration, topics: [topic], group: "earliest", logger: logger)
        #expect(try await receive(1, from: earliest).first?.value == "old 0".bytes)
        await earliest.close()

        configuration.offsetReset = .latest
        let latest = try KafkaConsumer(configuration, topics: [topic], group: "latest", logger: logger)
        // It joined at some time between two of these.
        let sending = Task {
            while !Task.isCancelled {
                try await producer.send(topic: topic, key: nil, value: "new".bytes)
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        #expect(try await receive(1, from: latest).first?.value == "new".bytes)
        sending.cancel()
        _ = try? await sending.value
        await latest.close()
    }
}
