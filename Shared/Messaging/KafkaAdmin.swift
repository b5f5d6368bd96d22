import Blocking
import CRdKafka
import Foundation
import Logging

/// Lists, creates and grows topics, and grants access rights.
public struct KafkaAdmin: Sendable {
    let client: AdminClient

    public init(_ configuration: KafkaConfiguration) { client = AdminClient(configuration) }

    /// Creates the missing topics; existing ones are unchanged.
    ///
    /// - Parameter replicationFactor: -1 for the broker's default.
    /// - Throws: the first ``KafkaError``; the other topics are still created.
    public func createTopics(_ names: [String], partitions: Int32, replicationFactor: Int32 = -1) async throws {
        guard !names.isEmpty else { return }
        try await client.createTopics(names, partitions: partitions, replicationFactor: replicationFactor)
    }

    /// Whether a broker answers a metadata request within `timeout`.
    public func brokersReachable(timeout: Duration) async -> Bool {
        do {
            try await client.ping(timeout: timeout)
            return true
        } catch {
            return false
        }
    }

    /// Every topic with its number of partitions.
    /// - Throws: ``KafkaError``.
    public func topics() async throws -> [String: Int] { try await client.topics(timeout: .seconds(10)) }
}

/// The client behind ``KafkaAdmin``, created on first use. Its calls block, each with a timeout.
actor AdminClient {
    private let executor = BlockingExecutor(label: "kafka-admin")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let configuration: KafkaConfiguration
    private var client: KafkaClient?

    init(_ configuration: KafkaConfiguration) { self.configuration = configuration }

    func ping(timeout: Duration) throws {
        try withMetadata(ofAllTopics: false, timeout) { metadata in
            guard metadata.broker_cnt > 0 else { throw KafkaError(RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) }
        }
    }

    func topics(timeout: Duration) throws -> [String: Int] {
        try withMetadata(ofAllTopics: true, timeout) { metadata in
            var topics: [String: Int] = [:]
            for topic in UnsafeBufferPointer(start: metadata.topics, count: Int(metadata.topic_cnt))
            where topic.err == RD_KAFKA_RESP_ERR_NO_ERROR {
                if let name = topic.topic { topics[String(cString: name)] = Int(topic.partition_cnt) }
            }
            return topics
        }
    }

    /// Asks a broker for the cluster's metadata, which is valid only within `body`.
    private func withMetadata<Result>(
        ofAllTopics isFull: Bool, _ timeout: Duration, _ body: (rd_kafka_metadata) throws -> Result
    ) throws -> Result {
        let client = try connected()
        var metadata: UnsafePointer<rd_kafka_metadata>?
        let error = rd_kafka_metadata(client.handle, isFull ? 1 : 0, nil, &metadata, timeout.milliseconds)
        defer { rd_kafka_metadata_destroy(metadata) }
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR, let metadata else { throw KafkaError(error) }
        return try body(metadata.pointee)
    }

    func createTopics(_ names: [String], partitions: Int32, replicationFactor: Int32) throws {
        let client = try connected()
        var topics: [OpaquePointer?] = []
        defer { for topic in topics { rd_kafka_NewTopic_destroy(topic) } }
        for name in names {
            topics.append(try Self.item { rd_kafka_NewTopic_new(name, partitions, replicationFactor, $0, $1) })
        }
        let event = try result(of: RD_KAFKA_ADMIN_OP_CREATETOPICS) { options, queue in
            rd_kafka_CreateTopics(client.handle, &topics, topics.count, options, queue)
        }
        defer { rd_kafka_event_destroy(event) }
        var count = 0
        let results = rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count)
        for topic in UnsafeBufferPointer(start: results, count: count) {
            try Self.check(topic, except: RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS)
        }
    }

    /// An item of a request.
    /// - Throws: ``KafkaError`` with what librdkafka writes into the text if there is none.
    static func item(_ make: (_ reason: UnsafeMutablePointer<CChar>?, _ size: Int) -> OpaquePointer?) throws -> OpaquePointer {
        var reason = [CChar](repeating: 0, count: 512)
        guard let item = make(&reason, reason.count) else { throw KafkaError(RD_KAFKA_RESP_ERR__INVALID_ARG, message: text(reason)) }
        return item
    }

    /// - Throws: ``KafkaError`` if the request failed for this topic, but for an error that makes no difference.
    static func check(_ topic: OpaquePointer?, except harmless: rd_kafka_resp_err_t = RD_KAFKA_RESP_ERR_NO_ERROR) throws {
        let error = rd_kafka_topic_result_error(topic)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR || error == harmless else {
            throw KafkaError(error, message: rd_kafka_topic_result_error_string(topic).map { String(cString: $0) })
        }
    }

    /// Sends a request and waits for its result: up to 10 s for the brokers, and 2 s more for librdkafka.
    /// - Returns: the result, which the caller must destroy. The request succeeded, but items in the result may have failed.
    func result(
        of operation: rd_kafka_admin_op_t, _ send: (_ options: OpaquePointer?, _ queue: OpaquePointer?) -> Void
    ) throws -> OpaquePointer {
        let client = try connected()
        let options = rd_kafka_AdminOptions_new(client.handle, operation)
        defer { rd_kafka_AdminOptions_destroy(options) }
        var reason = [CChar](repeating: 0, count: 512)
        let refusal = rd_kafka_AdminOptions_set_request_timeout(options, 10_000, &reason, reason.count)
        guard refusal == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(refusal, message: text(reason)) }
        let queue = rd_kafka_queue_new(client.handle)
        defer { rd_kafka_queue_destroy(queue) }
        send(options, queue)
        guard let event = rd_kafka_queue_poll(queue, 12_000) else { throw KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT) }
        let error = rd_kafka_event_error(event)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else {
            defer { rd_kafka_event_destroy(event) }
            throw KafkaError(error, message: rd_kafka_event_error_string(event).map { String(cString: $0) })
        }
        return event
    }

    func connected() throws -> KafkaClient {
        if let client { return client }
        let client = try KafkaClient(configuration, role: .admin, logger: Logger(label: "kafka-admin"))
        self.client = client
        return client
    }
}
