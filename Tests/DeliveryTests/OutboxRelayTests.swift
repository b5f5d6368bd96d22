import CRdKafka
import Logging
import Models
import Synchronization
import TestSupport
import Testing

@testable import Delivery
@testable import Messaging

@Suite("Outbox relay", .timeLimit(.minutes(1)))
struct OutboxRelayTests {
    private let outbox = MemoryOutboxRows()
    private let broker = MemoryRecordPublisher()
    private let clock = TestClock(isHeld: true)
    private let topicsMade = Count()

    private final class Count: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func increase() { count.withLock { $0 += 1 } }
    }

    private var relay: OutboxRelay {
        OutboxRelay(
            service: .depthAnalyzer, rows: outbox, publisher: broker, clock: clock,
            logger: .quiet
        ) { [topicsMade] in topicsMade.increase() }
    }

    private func append(_ values: [String], isNotified: Bool = true) {
        for value in values { outbox.append(topic: "t", key: "k", value: Array(value.utf8), isNotified: isNotified) }
    }

    private var sent: Set<String> { Set(broker.sent.map { String(decoding: $0.value ?? [], as: UTF8.self) }) }

    private static let away = KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT)
    private static let tooLarge = KafkaError(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)

    @Test("publishes what lies there when it starts, as it is, and deletes it")
    func start() async throws {
        let headers = [KafkaHeader(name: "ce_id", value: [1]), KafkaHeader(name: "none", value: nil)]
        outbox.append(topic: "t", key: "ü", value: nil, headers: headers, isNotified: false)
        try await shutDown(relay) { [outbox] in outbox.rows.isEmpty }
        #expect(broker.sent == [.init(topic: "t", key: Array("ü".utf8), value: nil, headers: headers)])
    }

    @Test("publishes more than a batch without a wait in between")
    func batches() async throws {
        append((0..<250).map(String.init), isNotified: false)
        try await shutDown(relay) { [outbox] in outbox.rows.isEmpty }
        #expect(sent.count == 250 && broker.sent.count == 250)
        #expect(clock.sleeps.allSatisfy { $0 == .seconds(1) })
    }

    @Test("publishes at a notification, and after a second where none came", arguments: [true, false])
    func wakes(isNotified: Bool) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [relay] in try await relay.run() }
            try await waitUntil("it sleeps") { clock.sleepers == 1 }
            append(["a"], isNotified: isNotified)
            if !isNotified { clock.advance(by: .seconds(1)) }
            try await waitUntil("published") { outbox.rows.isEmpty }
            group.cancelAll()
        }
        #expect(sent == ["a"])
    }

    @Test("keeps rows while the broker is away, and tries again after a while")
    func brokerAway() async throws {
        broker.refuse { _ in Self.away }
        append(["a", "b"])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [relay] in try await relay.run() }
            // One sleep is the polling interval, the other is the backoff after the failure.
            try await waitUntil("it waits") { clock.sleepers == 2 }
            #expect(outbox.rows.count == 2 && broker.sent.isEmpty)
            broker.refuse { _ in nil }
            clock.advance(by: .seconds(1))
            try await waitUntil("published") { outbox.rows.isEmpty }
            group.cancelAll()
        }
        #expect(sent == ["a", "b"] && topicsMade.value == 0)
    }

    @Test("publishes to other topics while the broker does not take one, however many rows of it there are")
    func oneTopicAway() async throws {
        broker.refuse { $0.topic == "dead" ? Self.away : nil }
        for index in 0..<250 { outbox.append(topic: "dead", key: "\(index)", value: Array("dead".utf8), isNotified: false) }
        append(["a", "b"])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [relay] in try await relay.run() }
            // Nothing of the first batch was published.
            try await waitUntil("it waits") { clock.sleepers == 2 }
            clock.advance(by: .milliseconds(100))
            try await waitUntil("the others are published") { sent == ["a", "b"] }
            append(["c"])
            try await waitUntil("another one is, at once") { sent == ["a", "b", "c"] }
            // One that fails again holds up none either.
            clock.advance(by: .seconds(1))
            append(["d"])
            try await waitUntil("one more") { sent == ["a", "b", "c", "d"] && outbox.rows.count == 250 }
            broker.refuse { _ in nil }
            try await waitUntil("all are published") {
                clock.advance(by: .seconds(1))
                return outbox.rows.isEmpty
            }
            group.cancelAll()
        }
        #expect(broker.sent.count == 254 && topicsMade.value == 0)
    }

    @Test("publishes no row of a topic before those that wait")
    func inOrder() async throws {
        broker.refuse { $0.topic == "t" ? Self.away : nil }
        append(["first"])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [relay] in try await relay.run() }
            try await waitUntil("it waits") { clock.sleepers == 2 }
            broker.refuse { _ in nil }
            append(["second"])
            outbox.append(topic: "other", key: "k", value: Array("other".utf8))
            clock.advance(by: .milliseconds(100))
            try await waitUntil("the other is published") { outbox.rows.map(\.topic) == ["t", "t"] }
            #expect(sent == ["other"])
            clock.advance(by: .milliseconds(900))
            try await waitUntil("both are published") { outbox.rows.isEmpty }
            group.cancelAll()
        }
        #expect(sent == ["other", "first", "second"])
    }

    @Test("goes on with a topic whose rows another instance has published")
    func publishedElsewhere() async throws {
        broker.refuse { _ in Self.away }
        append(["a"])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [relay] in try await relay.run() }
            try await waitUntil("it waits") { clock.sleepers == 2 }
            outbox.removeAll()
            broker.refuse { _ in nil }
            clock.advance(by: .seconds(5))
            try await waitUntil("a notification is enough again") {
                append(["b"])
                return sent == ["b"]
            }
            group.cancelAll()
        }
    }

    @Test("goes on with a topic only once some of it was published, not where another instance has its rows or the client is replaced")
    func staysPaused() async throws {
        let relay = self.relay
        broker.refuse { _ in Self.away }
        append(["a"])
        #expect(try await relay.publishBatch().refused == ["t"])
        broker.refuse { _ in nil }
        try await outbox.withBatch(limit: 1, of: .only("t")) { batch in
            #expect(batch.count == 1)
            let count = try await relay.retry("t").count
            #expect(count == 0)
            return ([], ())
        }
        #expect(try await relay.publishBatch().count == 0)
        broker.refuse { _ in KafkaError(RD_KAFKA_RESP_ERR__PURGE_INFLIGHT) }
        #expect(try await relay.retry("t").count == 1)
        broker.refuse { _ in nil }
        #expect(try await relay.publishBatch().count == 0)
        #expect(sent.isEmpty)
        #expect(try await relay.retry("t").count == 1)
        append(["b"])
        #expect(try await relay.publishBatch().count == 1)
        #expect(sent == ["a", "b"])
    }

    @Test("takes a replaced client for no fault of the topic")
    func replacedClient() async throws {
        let (relay, another) = (relay, relay)
        broker.refuse { _ in KafkaError(RD_KAFKA_RESP_ERR__PURGE_INFLIGHT) }
        append(["a"])
        let replaced = try await relay.publishBatch()
        #expect(replaced.refused.isEmpty && replaced.failure != nil)
        broker.refuse { _ in Self.away }
        #expect(try await another.publishBatch().refused == ["t"])
        broker.refuse { _ in nil }
        #expect(try await another.publishBatch().count == 0)
        #expect(sent.isEmpty)
        #expect(try await relay.publishBatch().count == 1)
        #expect(sent == ["a"])
    }

    @Test("deletes what was sent and keeps the rest of a batch")
    func partly() async throws {
        broker.refuse { $0.value == Array("b".utf8) ? Self.away : nil }
        append(["a", "b", "c"])
        let failure = try await relay.publishBatch().failure
        #expect(failure is KafkaError)
        #expect(sent == ["a", "c"] && outbox.rows.map(\.value) == [Array("b".utf8)])
    }

    @Test("drops a dead letter that no broker takes, and nothing small that is refused beside it")
    func tooLarge() async throws {
        broker.refuse { _ in Self.tooLarge }
        append([String(repeating: "x", count: 100_001), "small"])
        let failure = try await relay.publishBatch().failure
        #expect(failure is KafkaError)
        #expect(outbox.rows.map(\.value) == [Array("small".utf8)] && broker.sent.isEmpty)
    }

    @Test("has topics made that the broker does not know")
    func unknownTopic() async throws {
        broker.refuse { _ in KafkaError(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) }
        append(["a"])
        let failure = try await relay.publishBatch().failure
        #expect(failure is KafkaError)
        #expect(topicsMade.value == 1 && outbox.rows.count == 1)
    }

    @Test("goes on after a database that was away")
    func databaseAway() async throws {
        outbox.fail(with: [Self.away, Self.away])
        append(["a"])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [relay] in try await relay.run() }
            try await waitUntil("published") {
                clock.advance(by: .seconds(1))
                return outbox.rows.isEmpty
            }
            group.cancelAll()
        }
        #expect(sent == ["a"])
    }

    @Test("publishes at shutdown what the last handlers wrote")
    func lastWords() async throws {
        append(["first"])
        try await shutDown(relay) { [outbox, clock] in
            guard clock.sleepers == 1, outbox.rows.isEmpty else { return false }
            outbox.append(topic: "t", key: "k", value: Array("last".utf8), isNotified: false)
            return true
        }
        #expect(sent == ["first", "last"] && outbox.rows.isEmpty)
    }
}

@Suite("Paused topics")
struct PausedTopicsTests {
    @Test("wait longer each time, up to five seconds, and briefly where some of their records were taken")
    func growth() {
        let paused = PausedTopics()
        for _ in 0..<20 { paused.pause("t", at: .zero, isPartly: false) }
        #expect(paused.all == ["t"] && paused.due(at: .seconds(2)).isEmpty && paused.due(at: .seconds(5)) == ["t"])
        paused.pause("t", at: .seconds(5), isPartly: true)
        #expect(paused.due(at: .seconds(5)).isEmpty && paused.due(at: .seconds(5.1)) == ["t"])
        paused.resume("t")
        #expect(paused.all.isEmpty && paused.due(at: .seconds(60)).isEmpty)
    }
}
