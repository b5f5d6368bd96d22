import CRdKafka
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Messaging

@Suite("Consumer")
struct ConsumerTests {
    @Test("gets keys, values and headers exactly, absent ones too", arguments: TestBroker.available)
    func exact(broker: TestBroker) async throws {
        try await broker.with { configuration, topic in
            let producer = try KafkaProducer(configuration, logger: logger)
            let headers = [
                KafkaHeader(name: "a", value: "1".bytes), KafkaHeader(name: "a", value: "2".bytes),
                KafkaHeader(name: "none", value: nil), KafkaHeader(name: "empty", value: []),
                KafkaHeader(name: "bytes", value: [0, 255, 0]), KafkaHeader(name: "ü", value: "ü".bytes),
            ]
            try await producer.send(topic: topic, key: "key".bytes, value: [0, 1, 255], headers: headers)
            try await producer.send(topic: topic, key: "key".bytes, value: nil, headers: [])
            try await producer.send(topic: topic, key: nil, value: [], headers: [])
            let consumer = try KafkaConsumer(configuration, topics: [topic], group: topic, logger: logger)
            let records = try await receive(3, from: consumer)
            await consumer.close()
            try #require(records.count == 3)
            #expect(records.map(\.topic) == [topic, topic, topic])
            #expect(records.map(\.offset) == [0, 1, 2])
            #expect(records.map(\.key) == ["key".bytes, "key".bytes, nil])
            #expect(records.map(\.value) == [[0, 1, 255], nil, []])
            #expect(records[0].headers == headers)
            #expect(records[0].header("a") == "2")
            #expect(records[0].header("none") == nil)
            #expect(records[0].header("absent") == nil)
            #expect(records[1].headers.isEmpty)
            let time = Double(records[0].timestampMilliseconds ?? 0) / 1000
            #expect(abs(time - Date().timeIntervalSince1970) < 60)
        }
    }

    @Test("gets one key's records in the order they were sent", arguments: TestBroker.available)
    func ordered(broker: TestBroker) async throws {
        try await broker.with(partitions: 4) { configuration, topic in
            let producer = try KafkaProducer(configuration, logger: logger)
            for index in 0..<100 {
                try await producer.send(topic: topic, key: "\(index % 3)".bytes, value: [UInt8(index)], headers: [])
            }
            let consumer = try KafkaConsumer(configuration, topics: [topic], group: topic, logger: logger)
            let records = try await receive(100, from: consumer)
            await consumer.close()
            for key in 0..<3 {
                let own = records.filter { $0.key == "\(key)".bytes }.compactMap { $0.value?.first }
                #expect(own == (0..<100).filter { $0 % 3 == key }.map { UInt8($0) })
                #expect(Set(records.filter { $0.key == "\(key)".bytes }.map(\.partition)).count == 1)
            }
        }
    }

    @Test("begins at the stored offset", arguments: TestBroker.available)
    func resumes(broker: TestBroker) async throws {
        try await broker.with { configuration, topic in
            let producer = try KafkaProducer(configuration, logger: logger)
            for index in 0..<4 { try await producer.send(topic: topic, key: nil, value: [UInt8(index)], headers: []) }
            let first = try KafkaConsumer(configuration, topics: [topic], group: topic, logger: logger)
            let records = try await receive(4, from: first)
            try #require(records.count == 4)
            for record in records.prefix(2) { try first.store(record) }
            await first.close()
            let second = try KafkaConsumer(configuration, topics: [topic], group: topic, logger: logger)
            #expect(try await receive(2, from: second).compactMap { $0.value?.first } == [2, 3])
            try await second.commit()
            await second.close()
        }
    }

    @Test("stores an offset while it waits for the next record")
    func storesWhileWaiting() async throws {
        try await TestBroker.mock.with { configuration, topic in
            let producer = try KafkaProducer(configuration, logger: logger)
            try await producer.send(topic: topic, key: nil, value: [1], headers: [])
            let asked = SharedValue(0)
            let consumer = try KafkaConsumer(
                configuration, topics: [topic], group: topic, logger: logger, now: { Self.now(counting: asked) })
            let record = try #require(try await receive(1, from: consumer).first)
            let before = asked.withLock { $0 }
            let waiting = Task { try await consumer.next() }
            // Once since it is a member, and once before it polls.
            try await eventually("it polls") { asked.withLock { $0 } >= before + 2 }
            try consumer.store(record)
            let admin = KafkaAdmin(configuration)
            try await eventually(within: .seconds(30), "committed") {
                try await admin.uncommitted(of: topic, partitions: 1, by: topic) == 0
            }
            consumer.stop()
            #expect(try await waiting.value == nil)
            await consumer.close()
        }
    }

    @Test("keeps its client when the group changes while a record is handled, however long that takes")
    func longHandling() async throws {
        try await TestBroker.mock.with { configuration, topic in
            let producer = try KafkaProducer(configuration, logger: logger)
            try await producer.send(topic: topic, key: nil, value: [1], headers: [])
            let time = SharedValue(ContinuousClock.now)
            let first = try KafkaConsumer(
                configuration, topics: [topic], group: topic, logger: logger, now: { time.withLock { $0 } })
            #expect(try await receive(1, from: first).count == 1)
            let generation = first.generation
            time.withLock { $0 += configuration.joinTimeout * 2 }
            let second = try KafkaConsumer(configuration, topics: [topic], group: topic, logger: logger)
            let joining = Task { try await second.next() }
            try await eventually("asked to join again, with a heartbeat") { try isCalled(first) }
            let waiting = Task { try await first.next() }
            try await eventually("joined again") { isMember(first) && isMember(second) }
            #expect(first.generation == generation)
            for consumer in [first, second] { consumer.stop() }
            _ = try await (waiting.value, joining.value)
            for consumer in [first, second] { await consumer.close() }
        }
    }

    /// Whether something waits for the consumer's next poll.
    private func isCalled(_ consumer: KafkaConsumer) throws -> Bool {
        let client = try #require(consumer.client)
        let queue = try #require(rd_kafka_queue_get_consumer(client.handle))
        defer { rd_kafka_queue_destroy(queue) }
        return rd_kafka_queue_length(queue) > 0
    }

    private func isMember(_ consumer: KafkaConsumer) -> Bool { consumer.client?.events.isMember ?? false }

    /// The time, which a consumer asks for before each poll.
    private static func now(counting asked: SharedValue<Int>) -> ContinuousClock.Instant {
        asked.withLock { $0 += 1 }
        return .now
    }

    @Test("joins its group again after five minutes at the latest, however long a record may take")
    func joinTimeout() {
        var configuration = KafkaConfiguration(brokers: "127.0.0.1:1", clientID: "tests")
        configuration.maximumPollInterval = .seconds(1200)
        var timeout = configuration.joinTimeout
        for _ in 0..<100 {
            let next = configuration.nextJoinTimeout(after: timeout)
            #expect(next >= timeout)
            timeout = next
        }
        #expect(timeout == .seconds(300))
    }

    @Test("stops promptly, also without a broker", arguments: ["mock", "127.0.0.1:1"])
    func stops(address: String) async throws {
        let cluster = address == "mock" ? try MockCluster() : nil
        try cluster?.createTopic("t", partitions: 1)
        let configuration = KafkaConfiguration(brokers: cluster?.brokers ?? address, clientID: "tests")
        let asked = SharedValue(0)
        let consumer = try KafkaConsumer(
            configuration, topics: ["t"], group: "g", logger: logger, now: { Self.now(counting: asked) })
        let before = asked.withLock { $0 }
        let waiting = Task { try await consumer.next() }
        try await eventually("it polls") { asked.withLock { $0 } > before }
        let start = ContinuousClock.now
        consumer.stop()
        #expect(try await waiting.value == nil)
        #expect(start.duration(to: .now) < .seconds(20))
        await consumer.close()
        #expect(start.duration(to: .now) < .seconds(40))
        #expect(try await consumer.next() == nil)
        #expect(await kafkaError { try await consumer.commit() }?.name == "_DESTROY")
    }

    @Test("ends when its task is cancelled, and can be resumed")
    func cancelled() async throws {
        let cluster = try MockCluster()
        try cluster.createTopic("t", partitions: 1)
        let configuration = KafkaConfiguration(brokers: cluster.brokers, clientID: "tests")
        let consumer = try KafkaConsumer(configuration, topics: ["t"], group: "g", logger: logger)
        let waiting = Task { try await consumer.next() }
        waiting.cancel()
        #expect(try await waiting.value == nil)
        let producer = try KafkaProducer(configuration, logger: logger)
        try await producer.send(topic: "t", key: nil, value: [7], headers: [])
        #expect(try await receive(1, from: consumer).first?.value == [7])
        await consumer.close()
    }

    @Test("ends a wait at once when it is cancelled or stopped")
    func ends() async throws {
        try await TestBroker.mock.with { configuration, topic in
            let producer = try KafkaProducer(configuration, logger: logger)
            try await producer.send(topic: topic, key: nil, value: [1], headers: [])
            let consumer = try KafkaConsumer(configuration, topics: [topic], group: topic, logger: logger)
            // Joining the group would end polls, too.
            #expect(try await receive(1, from: consumer).count == 1)
            var times: [Duration] = []
            for round in 1...7 {
                let waiting = Task { try await consumer.next() }
                // Its poll would go on for another 400 ms.
                try await Task.sleep(for: .milliseconds(100))
                let start = ContinuousClock.now
                if round < 7 { waiting.cancel() } else { consumer.stop() }
                #expect(try await waiting.value == nil)
                times.append(start.duration(to: .now))
            }
            #expect(times.sorted()[3] < .milliseconds(200), "\(times)")
            await consumer.close()
        }
    }

    @Test("keeps no other task waiting while it polls")
    func doesNotStarve() async throws {
        let configuration = KafkaConfiguration(brokers: "127.0.0.1:1", clientID: "tests")
        let consumers = try (0..<6).map { _ in
            try KafkaConsumer(configuration, topics: ["t"], group: "g", logger: logger)
        }
        // More consumers than threads in the cooperative pool poll indefinitely; the task that stops them must still run on the pool.
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for consumer in consumers { group.addTask { try await consumer.next() == nil } }
            for _ in 0..<20 { try await Task.sleep(for: .milliseconds(1)) }
            for consumer in consumers { consumer.stop() }
            for try await isStopped in group { #expect(isStopped) }
        }
        for consumer in consumers { await consumer.close() }
    }

    @Test("reports a missing topic, and reads it once it exists", arguments: TestBroker.available.filter { $0 == .real })
    func unknownTopic(broker: TestBroker) async throws {
        try await broker.with { configuration, other in
            let topic = other + "-late"
            let missing = Missing()
            let consumer = try KafkaConsumer(
                configuration, topics: [topic], group: topic, logger: logger, onUnknownTopic: { missing.note($0) })
            let waiting = Task { try await receive(1, from: consumer) }
            try await eventually(within: .seconds(30), "told") { missing.topics.contains(topic) }
            try await KafkaAdmin(configuration).createTopics([topic], partitions: 1)
            let producer = try KafkaProducer(configuration, logger: logger)
            try await producer.send(topic: topic, key: nil, value: [7], headers: [])
            #expect(try await waiting.value.first?.value == [7])
            await consumer.close()
        }
    }

    private final class Missing: Sendable {
        private let all = Mutex<Set<String>>([])
        var topics: Set<String> { all.withLock { $0 } }
        func note(_ topic: String) { all.withLock { _ = $0.insert(topic) } }
    }

    @Test("goes on after the broker was away for a while")
    func brokerAway() async throws {
        let cluster = try MockCluster()
        try cluster.createTopic("t", partitions: 1)
        let configuration = KafkaConfiguration(brokers: cluster.brokers, clientID: "tests")
        let producer = try KafkaProducer(configuration, logger: logger)
        let consumer = try KafkaConsumer(configuration, topics: ["t"], group: "g", logger: logger)
        try await producer.send(topic: "t", key: nil, value: [1], headers: [])
        let record = try #require(try await receive(1, from: consumer).first)
        try consumer.store(record)
        try await consumer.commit()
        cluster.setDown()
        let waiting = Task { try await receive(1, from: consumer) }
        try await Task.sleep(for: .milliseconds(500))
        cluster.setUp()
        try await eventually(within: .seconds(30), "sent") {
            await kafkaError { try await producer.send(topic: "t", key: nil, value: [2], headers: []) } == nil
        }
        #expect(try await waiting.value.first?.value == [2])
        await consumer.close()
    }
}
