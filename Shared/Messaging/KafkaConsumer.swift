import Blocking
import CRdKafka
import Foundation
public import Logging
import Synchronization

/// A member of a consumer group. It returns one record at a time; nothing is buffered beyond librdkafka's own limit.
///
/// Call ``store(_:)`` once a record is handled. Stored offsets are committed every second and on ``close()``; records without a stored
/// offset are redelivered. Polling blocks, so the actor has its own thread.
public actor KafkaConsumer {
    /// How long one poll may block: what must not wait for it wakes it.
    private static let slice: Duration = .milliseconds(500)

    /// What may be used while a poll blocks the actor's thread.
    private struct Current {
        /// `nil` once closed.
        var client: KafkaClient?
        /// How often the client was replaced.
        var generation: UInt64 = 0
    }

    private let executor = BlockingExecutor(label: "kafka-consumer")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let configuration: KafkaConfiguration
    private let topics: [String]
    private let group: String
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let isStopped = Atomic<Bool>(false)
    private let current: Mutex<Current>

    private var isSubscribed = false
    private var joiningSince: ContinuousClock.Instant
    private var joinTimeout: Duration
    private var unknownTopics: UnknownTopics

    /// - Parameters:
    ///   - now: by which it measures how long it takes to join its group.
    ///   - onUnknownTopic: called with a topic that does not exist, repeatedly until it does, so that it can be created.
    /// - Throws: ``KafkaError`` if librdkafka refuses the configuration, or cannot start.
    public init(
        _ configuration: KafkaConfiguration, topics: [String], group: String, logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        onUnknownTopic: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        self.configuration = configuration
        self.topics = topics
        self.group = group
        joinTimeout = configuration.joinTimeout
        self.logger = logger
        self.now = now
        joiningSince = now()
        unknownTopics = UnknownTopics(report: onUnknownTopic)
        let client = try KafkaClient(configuration, role: .consumer(group: group), logger: logger)
        current = Mutex(Current(client: client))
    }

    nonisolated var client: KafkaClient? { current.withLock { $0.client } }
    nonisolated var generation: UInt64 { current.withLock { $0.generation } }

    /// Waits for the next record, without a timeout. Meanwhile offsets can be stored.
    /// - Returns: `nil` after ``stop()``, or when the task is cancelled.
    /// - Throws: ``KafkaError`` after ``close()``, or if the subscription fails. Broker failures are not thrown; it keeps waiting.
    public func next() async throws -> KafkaRecord? {
        try await withTaskCancellationHandler {
            try await poll()
        } onCancel: {
            wake()
        }
    }

    private func poll() async throws -> KafkaRecord? {
        // The group's changes take effect within a poll: since the last one, however long ago, it was a member.
        if let client, client.events.isMember { joiningSince = now() }
        while !isStopped.load(ordering: .acquiring), !Task.isCancelled {
            let client = try subscribedClient()
            unknownTopics.remind(at: now())
            let polled = rd_kafka_consumer_poll(client.handle, Self.slice.milliseconds)
            if mustReplace(client) {
                if let polled { rd_kafka_message_destroy(polled) }
                try replace(client)
                continue
            }
            if let message = polled {
                defer { rd_kafka_message_destroy(message) }
                if message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR {
                    let record = KafkaRecord(message, generation: generation)
                    unknownTopics.remove(record.topic)
                    return record
                }
                handleError(of: message, client: client)
            }
            // Gives up the actor, so that other calls run between two polls.
            await Task.yield()
        }
        return nil
    }

    /// Stores the offset: the record and all before it in its partition were handled. Has no effect if the partition was reassigned to
    /// another member, which then gets the record again. Waits for nothing.
    /// - Throws: ``KafkaError``, also after ``close()``.
    public nonisolated func store(_ record: KafkaRecord) throws {
        let (client, generation) = current.withLock { ($0.client, $0.generation) }
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

    /// Commits the stored offsets now and waits for the broker's response; before that for up to half a second if ``next()`` waits.
    /// - Throws: ``KafkaError``, also after ``close()``.
    public func commit() throws {
        guard let client else { throw Self.closed }
        let error = rd_kafka_commit(client.handle, nil, 0)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR || error == RD_KAFKA_RESP_ERR__NO_OFFSET else { throw KafkaError(error) }
    }

    /// Makes ``next()`` return `nil` at once. Offsets of returned records can still be stored.
    public nonisolated func stop() {
        isStopped.store(true, ordering: .releasing)
        wake()
    }

    /// Ends the poll that blocks, or else the next one. Under the lock: no client is closed meanwhile.
    private nonisolated func wake() { current.withLock { $0.client?.endPoll() } }

    /// Commits the stored offsets, and leaves the group if `leavesGroup`. Blocks for at most about the session timeout; later calls throw.
    public func close() {
        guard let client = current.withLock({ $0.client.take() }), isSubscribed else { return }
        guard configuration.leavesGroup else {
            client.leavesSilently = true
            let error = rd_kafka_commit(client.handle, nil, 0)
            if error != RD_KAFKA_RESP_ERR_NO_ERROR && error != RD_KAFKA_RESP_ERR__NO_OFFSET {
                logger.warning("offsets not committed on close", metadata: ["error": "\(KafkaError(error))"])
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
            unknownTopics.insert(topic, at: now())
        }
    }

    /// A restarted broker may have lost its data, and the client's positions would then skip records. A new client starts at the committed
    /// offsets, or at the earliest. Without a broker it has no assignment, so it is replaced only once.
    private func mustReplace(_ client: KafkaClient) -> Bool {
        client.isFatal || (client.events.takeBrokerLoss() && hasAssignment(client)) || joinTimedOut(client)
    }

    /// Some brokers were seen to leave a group half formed for minutes, with its members waiting; a member that rejoins ends that.
    private func joinTimedOut(_ client: KafkaClient) -> Bool {
        guard !client.events.isMember else {
            joiningSince = now()
            joinTimeout = configuration.joinTimeout
            return false
        }
        guard now() - joiningSince > joinTimeout else { return false }
        joinTimeout = configuration.nextJoinTimeout(after: joinTimeout)
        return true
    }

    private func hasAssignment(_ client: KafkaClient) -> Bool {
        var list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
        guard rd_kafka_assignment(client.handle, &list) == RD_KAFKA_RESP_ERR_NO_ERROR, let list else { return false }
        defer { rd_kafka_topic_partition_list_destroy(list) }
        return list.pointee.cnt > 0
    }

    private func replace(_ former: KafkaClient) throws {
        logger.notice("consumer is replaced", metadata: ["group": "\(group)"])
        let client = try KafkaClient(configuration, role: .consumer(group: group), logger: logger)
        former.leavesSilently = true
        current.withLock { current in
            current.client = client
            current.generation &+= 1
        }
        joiningSince = now()
        isSubscribed = false
    }
}
