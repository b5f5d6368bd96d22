import Foundation
import TestSupport
import Testing

@testable import Messaging

@Suite("Admin")
struct AdminTests {
    @Test("reports whether a broker responds", arguments: TestBroker.available)
    func reachable(broker: TestBroker) async throws {
        try await broker.with { configuration, topic in
            let admin = KafkaAdmin(configuration)
            #expect(await admin.brokersReachable(timeout: .seconds(30)))
            let topics = try await admin.topics()
            #expect(topics[topic] == 1)
        }
        let away = KafkaAdmin(KafkaConfiguration(brokers: "127.0.0.1:1", clientID: "tests"))
        let start = ContinuousClock.now
        #expect(await !away.brokersReachable(timeout: .milliseconds(300)))
        #expect(start.duration(to: .now) < .seconds(10))
    }

    @Test("notices that a broker went away and came back")
    func noticesLoss() async throws {
        let cluster = try MockCluster()
        let admin = KafkaAdmin(KafkaConfiguration(brokers: cluster.brokers, clientID: "tests"))
        #expect(await admin.brokersReachable(timeout: .seconds(30)))
        cluster.setDown()
        try await eventually(within: .seconds(30), "noticed") { await !admin.brokersReachable(timeout: .milliseconds(500)) }
        cluster.setUp()
        try await eventually(within: .seconds(30), "noticed") { await admin.brokersReachable(timeout: .milliseconds(500)) }
    }

    @Test("creates topics, and leaves existing ones alone", arguments: TestBroker.available.filter { $0 == .real })
    func creates(broker: TestBroker) async throws {
        try await broker.with { configuration, topic in
            let admin = KafkaAdmin(configuration)
            try await admin.createTopics([topic, topic + "-b"], partitions: 3)
            try await admin.createTopics([topic + "-b"], partitions: 5)
            let topics = try await admin.topics()
            #expect(topics[topic] == 1)
            #expect(topics[topic + "-b"] == 3)
        }
    }

    @Test("gives topics more partitions, and the first topic's refusal is thrown when the others have grown")
    func grows() async throws {
        let broker = try StandInBroker()
        let admin = KafkaAdmin(KafkaConfiguration(brokers: broker.address, clientID: "tests"))
        try await admin.createTopics(["a", "b", "large"], partitions: 3)
        try await admin.growTopics(["a"], partitions: 4)
        #expect(try await admin.topics() == ["a": 4, "b": 3, "large": 3])
        let refusal = await kafkaError { try await admin.growTopics(["a", "missing", "b"], partitions: 4) }
        #expect(refusal?.name == "INVALID_PARTITIONS" && refusal?.message == "not more than there are")
        #expect(await kafkaError { try await admin.growTopics(["missing"], partitions: 4) }?.isUnknownTopic == true)
        #expect(try await admin.topics() == ["a": 4, "b": 4, "large": 3])
        try await admin.growTopics([], partitions: 9)
    }

    @Test("counts what a group has not committed, without joining it")
    func uncommitted() async throws {
        try await TestBroker.mock.with(partitions: 3) { configuration, topic in
            let admin = KafkaAdmin(configuration)
            func left() async throws -> Int64 { try await admin.uncommitted(of: topic, partitions: 3, by: "g") }
            #expect(try await left() == 0)
            let producer = try KafkaProducer(configuration, logger: logger)
            for index in 0..<20 { try await producer.send(topic: topic, key: "\(index)".bytes, value: [1]) }
            #expect(try await left() == 20)
            let consumer = try KafkaConsumer(configuration, topics: [topic], group: "g", logger: logger)
            let records = try await receive(20, from: consumer)
            #expect(try await left() == 20, "received, and not handled")
            for record in records { try consumer.store(record) }
            try await eventually(within: .seconds(30), "all are committed") { try await left() == 0 }
            try await producer.send(topic: topic, key: nil, value: [1])
            #expect(try await left() == 1)
            #expect(try await admin.uncommitted(of: topic, partitions: 3, by: "another") == 21)
            await consumer.close()
        }
    }

    @Test("fails with a transient error while there is no broker")
    func away() async throws {
        let admin = KafkaAdmin(KafkaConfiguration(brokers: "127.0.0.1:1", clientID: "tests"))
        #expect(await kafkaError { try await admin.createTopics(["t"], partitions: 1) }?.isTransient == true)
    }
}

@Suite("Topic reader")
struct TopicReaderTests {
    @Test("reads a topic from its beginning every time", arguments: TestBroker.available)
    func reads(broker: TestBroker) async throws {
        try await broker.with(partitions: 3) { configuration, topic in
            let producer = try KafkaProducer(configuration, logger: logger)
            for index in 0..<30 {
                try await producer.send(topic: topic, key: "\(index)".bytes, value: [UInt8(index)], headers: [])
            }
            let reader = KafkaTopicReader(configuration)
            for _ in 0..<2 {
                let records = try await reader.read(topic: topic, limit: 100)
                #expect(Set(records.compactMap { $0.value?.first }) == Set(0..<30))
                #expect(records.count == 30)
            }
            #expect(try await reader.read(topic: topic, limit: 5).count == 5)
            let last = try #require(try await reader.read(topic: topic, limit: 100).last)
            #expect(try await reader.record(at: last.offset, of: last.partition, in: topic)?.value == last.value)
            for (offset, partition) in [(last.offset + 1, last.partition), (-1, 0), (0, 3)] as [(Int64, Int32)] {
                #expect(try await reader.record(at: offset, of: partition, in: topic) == nil)
            }
        }
    }

    @Test("finds nothing in a missing topic", arguments: TestBroker.available.filter { $0 == .real })
    func absent(broker: TestBroker) async throws {
        try await broker.with { configuration, topic in
            for name in [topic, topic + "-none"] {
                let records = try await KafkaTopicReader(configuration).read(topic: name, limit: 5)
                #expect(records.isEmpty)
            }
        }
    }
}

@Suite("Unknown topics")
struct UnknownTopicsTests {
    @Test("are reported again at growing intervals until a record arrives")
    func reminds() {
        let told = Told()
        var topics = UnknownTopics { _ in told.increment() }
        let start = ContinuousClock.now
        topics.insert("t", at: start)
        topics.insert("t", at: start)
        #expect(told.count == 1)
        topics.remind(at: start + .milliseconds(900))
        #expect(told.count == 1)
        for second in 1...63 { topics.remind(at: start + .seconds(second)) }
        // After 1, 3, 7, 15, 31 and 63 seconds.
        #expect(told.count == 7)
        topics.remove("t")
        topics.remind(at: start + .seconds(600))
        #expect(told.count == 7)
    }

    private final class Told: @unchecked Sendable {
        // Used by one test only.
        private(set) var count = 0
        func increment() { count += 1 }
    }
}
