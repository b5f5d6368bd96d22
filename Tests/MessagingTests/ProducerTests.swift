import CRdKafka
import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import Messaging

@Suite("Producer")
struct ProducerTests {
    @Test("returns as soon as the broker has acknowledged the record", arguments: TestBroker.available)
    func acknowledges(broker: TestBroker) async throws {
        try await broker.with { configuration, topic in
            let producer = try KafkaProducer(configuration, logger: logger)
            try await producer.send(topic: topic, key: nil, value: [1], headers: [])
            var times: [Duration] = []
            for _ in 0..<20 {
                let start = ContinuousClock.now
                try await producer.send(topic: topic, key: "k".bytes, value: [1], headers: [])
                times.append(start.duration(to: .now))
            }
            #expect(times.sorted()[10] < .milliseconds(250), "median of \(times)")
            let records = try await KafkaTopicReader(configuration).read(topic: topic, limit: 100)
            #expect(records.count == 21)
        }
    }

    @Test("takes thousands of records at once and loses none", arguments: TestBroker.available)
    func manyAtOnce(broker: TestBroker) async throws {
        try await broker.with(partitions: 3) { configuration, topic in
            let producer = try KafkaProducer(configuration, logger: logger)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<2000 {
                    group.addTask {
                        try await producer.send(topic: topic, key: "\(index)".bytes, value: "\(index)".bytes, headers: [])
                    }
                }
                try await group.waitForAll()
            }
            let records = try await KafkaTopicReader(configuration).read(topic: topic, limit: 5000)
            #expect(Set(records.compactMap(\.value)).count == 2000)
            #expect(records.count == 2000)
        }
    }

    @Test("fails in bounded time with a transient error while there is no broker")
    func noBroker() async throws {
        var configuration = KafkaConfiguration(brokers: "127.0.0.1:1", clientID: "tests")
        configuration.messageTimeout = .milliseconds(500)
        let producer = try KafkaProducer(configuration, logger: logger)
        let start = ContinuousClock.now
        let error = await kafkaError { try await producer.send(topic: "t", key: nil, value: [1], headers: []) }
        #expect(error?.isTransient == true)
        // Otherwise a record has ten seconds.
        #expect(start.duration(to: .now) < .seconds(9))
    }

    @Test("fails permanently for a record that is too large or has no topic", arguments: TestBroker.available)
    func refuses(broker: TestBroker) async throws {
        try await broker.with { configuration, topic in
            let producer = try KafkaProducer(configuration, logger: logger)
            let large = [UInt8](repeating: 0, count: 2_000_000)
            let tooLarge = await kafkaError { try await producer.send(topic: topic, key: nil, value: large, headers: []) }
            #expect(tooLarge?.name == "MSG_SIZE_TOO_LARGE")
            #expect(tooLarge?.isTransient == false)
            for name in ["", "a\0b", String(repeating: "x", count: 600)] {
                let error = await kafkaError { try await producer.send(topic: name, key: nil, value: [1], headers: []) }
                #expect(error != nil && error?.isTransient == false)
            }
            try await producer.send(topic: topic, key: nil, value: [1], headers: [])
        }
    }

    @Test("lets a record that is in flight arrive although one of a topic whose leader is away times out")
    func leaderless() async throws {
        var error: KafkaError?
        for _ in 0..<3 {
            let (failure, isTimeout) = try await Self.failureOfRecordInFlight()
            error = failure
            // On a machine that stands still it times out as well, which says nothing.
            if !isTimeout { break }
        }
        #expect(error == nil)
    }

    /// Sends a record that is acknowledged after one without a leader has timed out.
    /// - Returns: its error, and whether it had so much time that it timed out itself.
    private static func failureOfRecordInFlight() async throws -> (error: KafkaError?, isTimeout: Bool) {
        let cluster = try MockCluster(brokers: 2)
        for (topic, leader) in [("sound", 1), ("dead", 2)] as [(String, Int32)] {
            try cluster.createTopic(topic, partitions: 1)
            try cluster.setLeader(of: topic, leader)
        }
        var configuration = KafkaConfiguration(brokers: cluster.brokers, clientID: "tests")
        configuration.messageTimeout = .seconds(4)
        let producer = try KafkaProducer(configuration, logger: logger)
        for topic in ["dead", "sound"] { try await producer.send(topic: topic, key: nil, value: [1]) }
        cluster.setDown(2)
        let dead = Task { await kafkaError { try await producer.send(topic: "dead", key: nil, value: [2]) } }
        try await Task.sleep(for: .milliseconds(2800))
        // Acknowledged after the other one has timed out and the next one has replaced the client.
        cluster.setDelay(milliseconds: 2500)
        let start = ContinuousClock.now
        let inFlight = Task { await kafkaError { try await producer.send(topic: "sound", key: nil, value: [2]) } }
        #expect(await dead.value != nil)
        let next = Task { await kafkaError { try await producer.send(topic: "sound", key: nil, value: [3]) } }
        let error = await inFlight.value
        let isTimeout = error != nil && start.duration(to: .now) >= configuration.messageTimeout
        cluster.setDelay(milliseconds: 0)
        _ = await next.value
        withExtendedLifetime(cluster) {}
        return (error, isTimeout)
    }

    @Test("continues with a new client after a fatal error", arguments: TestBroker.available)
    func fatalError(broker: TestBroker) async throws {
        try await broker.with { configuration, topic in
            let producer = try KafkaProducer(configuration, logger: logger)
            try await producer.send(topic: topic, key: nil, value: "before".bytes, headers: [])
            let reached = producer.client.withLock { $0 }.map {
                rd_kafka_test_fatal_error($0.handle, RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID, "test")
            }
            #expect(reached == RD_KAFKA_RESP_ERR_NO_ERROR)
            try await producer.send(topic: topic, key: nil, value: "after".bytes, headers: [])
            let records = try await KafkaTopicReader(configuration).read(topic: topic, limit: 10)
            #expect(records.compactMap(\.value) == ["before".bytes, "after".bytes])
        }
    }

    @Test("delivers pending records at shutdown, and refuses new ones", arguments: TestBroker.available)
    func shutsDown(broker: TestBroker) async throws {
        try await broker.with { configuration, topic in
            let producer = try KafkaProducer(configuration, logger: logger)
            let group = ServiceGroup(services: [producer], logger: logger)
            let running = Task { try await group.run() }
            let sends = (0..<50).map { index in
                Task { try await producer.send(topic: topic, key: nil, value: [UInt8(index)], headers: []) }
            }
            for send in sends { try await send.value }
            await group.triggerGracefulShutdown()
            try await running.value
            let error = await kafkaError { try await producer.send(topic: topic, key: nil, value: [1], headers: []) }
            #expect(error?.name == "_DESTROY")
        }
    }

    @Test("refuses settings that librdkafka does not know")
    func badSettings() {
        var configuration = KafkaConfiguration(brokers: "127.0.0.1:1", clientID: "tests")
        configuration.properties["no.such.setting"] = "1"
        #expect(throws: KafkaError.self) { try KafkaProducer(configuration, logger: logger) }
        #expect(throws: KafkaError.self) {
            try KafkaConsumer(configuration, topics: ["t"], group: "g", logger: logger)
        }
    }
}
