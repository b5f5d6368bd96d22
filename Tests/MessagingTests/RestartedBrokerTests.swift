import Foundation
import Messaging
import TestSupport
import Testing

/// A broker with its log in memory, which the test kills and restarts empty: Tansu, the program `RIAL_TEST_TANSU`.
private final class TansuBroker {
    static let program = ProcessInfo.processInfo.environment["RIAL_TEST_TANSU"].flatMap { $0.isEmpty ? nil : $0 }
    let address: String
    private var process: Process?

    init() throws { address = "127.0.0.1:\(try Self.freePort())" }

    /// A port that is free, below the kernel's range for source ports: no client gets it while the broker is down.
    private static func freePort() throws -> UInt16 {
        let port = (UInt16(10_240)..<32_768).shuffled().first(where: isFree)
        return try #require(port)
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = port.bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    deinit { kill() }

    func start() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.program))
        process.arguments = [
            "broker", "--listener-url", "tcp://\(address)", "--advertised-listener-url", "tcp://\(address)",
            "--storage-engine", "memory://tansu/",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
    }

    /// Sends SIGKILL.
    func kill() {
        guard let process, process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

@Suite(
    "A broker that is killed and comes back empty",
    .enabled(if: TansuBroker.program != nil, "RIAL_TEST_TANSU names no broker's program"), .serialized)
struct RestartedBrokerTests {
    private func send(_ values: Range<UInt8>, _ producer: KafkaProducer, _ topic: String) async throws {
        for value in values {
            try await eventually(within: .seconds(30), "sent \(value)") {
                await kafkaError { try await producer.send(topic: topic, key: nil, value: [value], headers: []) } == nil
            }
        }
    }

    @Test("sends to the same producer and delivers to the same consumer, starting at the first record", arguments: [1, 3, 40])
    func recovers(recordsAfter: UInt8) async throws {
        let broker = try TansuBroker()
        try broker.start()
        var configuration = KafkaConfiguration(brokers: broker.address, clientID: "tests")
        configuration.messageTimeout = .seconds(3)
        let admin = KafkaAdmin(configuration)
        try await eventually(within: .seconds(30), "up") { await admin.brokersReachable(timeout: .milliseconds(500)) }
        try await admin.createTopics(["t"], partitions: 1)
        let producer = try KafkaProducer(configuration, logger: logger)
        let consumer = try KafkaConsumer(
            configuration, topics: ["t"], group: "g", logger: logger,
            onUnknownTopic: { topic in Task { try? await admin.createTopics([topic], partitions: 1) } })
        try await send(0..<20, producer, "t")
        let before = try await receive(20, from: consumer)
        #expect(before.compactMap { $0.value?.first } == Array(0..<20))
        for record in before { try consumer.store(record) }
        try await consumer.commit()

        let waiting = Task { try await receive(Int(recordsAfter), from: consumer) }
        broker.kill()
        try await Task.sleep(for: .seconds(1))
        try broker.start()
        let start = ContinuousClock.now
        try await eventually(within: .seconds(30), "up") { await admin.brokersReachable(timeout: .milliseconds(500)) }
        try await eventually(within: .seconds(30), "created") {
            await kafkaError { try await admin.createTopics(["t"], partitions: 1) } == nil
        }
        try await send(100..<100 + recordsAfter, producer, "t")
        let sent = start.duration(to: .now)
        let values = try await waiting.value.compactMap { $0.value?.first }
        // A record whose delivery report was lost may have been written twice.
        #expect(Set(values).isSubset(of: Set(100..<100 + recordsAfter)) && values.first == 100, "\(values)")
        #expect(Set(values).count == Int(recordsAfter))
        #expect(sent < .seconds(60) && start.duration(to: .now) < .seconds(90))
        await consumer.close()
        broker.kill()
    }
}
