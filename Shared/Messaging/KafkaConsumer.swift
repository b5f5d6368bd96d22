import Blocking
import CRdKafka
import Foundation
public import Logging
import Synchronization

/// A member of a consumer group that hands out one record at a time: nothing is buffered beyond librdkafka's own limit.
///
/// A record's offset is stored with ``store(_:)`` once it is handled, committed every second and on ``close()``; what was not
/// stored comes again. Polling blocks, so the actor has a thread of its own.
public actor KafkaConsumer {
    /// How long one poll may block: what a stop or a cancellation waits for.
    private static let slice: Duration = .milliseconds(100)

    private let executor = BlockingExecutor(label: "kafka-consumer")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let configuration: KafkaConfiguration
    private let topics: [String]
    private let group: String
    private let logger: Logger
    private let isStopped = Atomic<Bool>(false)

    /// Absent once it is closed.
    private var client: KafkaClient?
    private var generation: UInt64 = 0
    private var isSubscribed = false
    private var joiningSince = ContinuousClock.now
    private var joinPatience: Duration
    private var unknownTopics: UnknownTopics

    /// - Parameter onUnknownTopic: told that a topic is not there, again and again until it is, so that it can be created.
    public init(
        _ configuration: KafkaConfiguration, topics: [String], group: String, logger: Logger,
        onUnknownTopic: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        self.configuration = configuration
        self.topics = topics
        self.group = group
        joinPatience = configuration.joinPatience
        self.logger = logger
        unknownTopics = UnknownTopics(tell: onUnknownTopic)
        client = try KafkaClient(configuration, role: .consumer(group: group), logger: logger)
    }

    /// Waits for the next record, however long it takes.
    /// - Returns: `nil` after ``stop()``, or when the task is cancelled.
    /// - Throws: ``KafkaError`` after ``close()``, or if the topics cannot be subscribed to. What the broker does to us is
    ///   waited for, not thrown.
    public func next() async throws -> KafkaRecord? {
        while !isStopped.load(ordering: .acquiring), !Task.isCancelled {
            let client = try subscribedClient()
            unknownTopics.remind()
            let polled = rd_kafka_consumer_poll(client.handle, Self.slice.milliseconds)
            if mustStartAgain(client) {
                if let polled { rd_kafka_message_destroy(polled) }
                try startAgain(without: client)
                continue
            }
            guard let message = polled else { continue }
            defer { rd_kafka_message_destroy(message) }
            if message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR {
                let record = KafkaRecord(message, generation: generation)
                unknownTopics.remove(record.topic)
                return record
            }
            handleError(of: message, client: client)
        }
        return nil
    }

    /// Notes that the record, and all before it in its partition, were handled. Without effect where the partition went to
    /// another member meanwhile: that one gets the record again.
    public func store(_ record: KafkaRecord) throws {
        guard let client else { throw Self.closed }
        guard record.generation == generation else { return }
        let list = rd_kafka_topic_partition_list_new(1)
        defer { rd_kafka_topic_partition_list_destroy(list) }
        guard let entry = rd_kafka_topic_partition_list_add(list, record.topic, record.partition) else { return }
        entry.pointee.offset = record.offset &+ 1
        let error = rd_kafka_offsets_store(client.handle, list)
        let ofEntry = entry.pointee.err
        for error in [error, ofEntry] where error != RD_KAFKA_RESP_ERR_NO_ERROR && error != RD_KAFKA_RESP_ERR__STATE {
            throw KafkaError(error)
        }
    }

    /// Commits the stored offsets now, and waits for the broker's answer.
    public func commit() throws {
        guard let client else { throw Self.closed }
        let error = rd_kafka_commit(client.handle, nil, 0)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR || error == RD_KAFKA_RESP_ERR__NO_OFFSET else { throw KafkaError(error) }
    }

    /// Ends ``next()`` within a tenth of a second. What it has handed out can still be stored.
    public nonisolated func stop() { isStopped.store(true, ordering: .releasing) }

    /// Commits what was stored and leaves the group, where it is to leave; blocks for at most about the session timeout. Using it afterwards throws.
    public func close() {
        guard let client = client.take(), isSubscribed else { return }
        guard configuration.leavesGroup else {
            client.leavesSilently = true
            let error = rd_kafka_commit(client.handle, nil, 0)
            if error != RD_KAFKA_RESP_ERR_NO_ERROR && error != RD_KAFKA_RESP_ERR__NO_OFFSET {
                logger.warning("offsets not committed at the end", metadata: ["error": "\(KafkaError(error))"])
            }
            return
        }
        let error = rd_kafka_consumer_close(client.handle)
        if error != RD_KAFKA_RESP_ERR_NO_ERROR {
            logger.warning("consumer closed with an error", metadata: ["error": "\(KafkaError(error))"])
        }
    }

    private static var closed: KafkaError { KafkaError(RD_KAFKA_RESP_ERR__DESTROY, message: "the consumer is closed") }

    private func subscribedClient() throws -> KafkaClient {
        guard let client else { throw Self.closed }
        guard !isSubscribed else { return client }
        let list = rd_kafka_topic_partition_list_new(Int32(clamping: topics.count))
        defer { rd_kafka_topic_partition_list_destroy(list) }
        // RD_KAFKA_PARTITION_UA: any partition.
        for topic in topics { rd_kafka_topic_partition_list_add(list, topic, -1) }
        let error = rd_kafka_subscribe(client.handle, list)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error) }
        isSubscribed = true
        return client
    }

    private func handleError(of message: UnsafeMutablePointer<rd_kafka_message_t>, client: KafkaClient) {
        let code = message.pointee.err
        guard code != RD_KAFKA_RESP_ERR__PARTITION_EOF else { return }
        let error = KafkaError(code, message: rd_kafka_message_errstr(message).map { String(cString: $0) })
        client.events.report(error)
        if error.isUnknownTopic, let topic = topicName(of: message) {
            unknownTopics.insert(topic)
        }
    }

    /// A broker that comes back may have forgotten everything: offsets of its former life would skip records of the new one. A
    /// new member starts at what is committed there, or at the earliest. It has no assignment while no broker is there, so it
    /// is not replaced again.
    private func mustStartAgain(_ client: KafkaClient) -> Bool {
        client.isFatal || (client.events.takeBrokerLoss() && hasAssignment(client)) || hasJoinedInVain(client)
    }

    /// Brokers have been seen to leave a group half formed, and its members waiting, for minutes. A member that comes anew ends that.
    private func hasJoinedInVain(_ client: KafkaClient) -> Bool {
        guard !client.events.isMember else {
            joiningSince = .now
            joinPatience = configuration.joinPatience
            return false
        }
        guard ContinuousClock.now - joiningSince > joinPatience else { return false }
        // Members that tried in vain together should not try together again.
        joinPatience = min(joinPatience * Double.random(in: 1...2), configuration.maximumPollInterval)
        return true
    }

    private func hasAssignment(_ client: KafkaClient) -> Bool {
        var list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
        guard rd_kafka_assignment(client.handle, &list) == RD_KAFKA_RESP_ERR_NO_ERROR, let list else { return false }
        defer { rd_kafka_topic_partition_list_destroy(list) }
        return list.pointee.cnt > 0
    }

    private func startAgain(without former: KafkaClient) throws {
        logger.notice("consumer starts again", metadata: ["group": "\(group)"])
        client = try KafkaClient(configuration, role: .consumer(group: group), logger: logger)
        former.leavesSilently = true
        generation &+= 1
        joiningSince = .now
        isSubscribed = false
    }
}
