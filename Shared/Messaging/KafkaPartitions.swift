import CRdKafka
import Logging

extension KafkaAdmin {
    /// Gives each of the topics, which must have fewer, this many partitions.
    ///
    /// A key may belong to another partition afterwards, so that records with the same key are in two of them.
    /// - Throws: the first ``KafkaError``; the other topics still grow.
    public func growTopics(_ names: [String], partitions: Int32) async throws {
        guard !names.isEmpty else { return }
        try await client.growTopics(names, partitions: partitions)
    }

    /// How many records of a topic the members of a consumer group have not committed; an upper bound where records were removed.
    /// - Throws: ``KafkaError`` if the group's coordinator or the topic's brokers do not respond in time.
    public func uncommitted(of topic: String, partitions: Int, by group: String) async throws -> Int64 {
        try await client.uncommitted(of: topic, partitions: partitions, by: group)
    }
}

extension AdminClient {
    func growTopics(_ names: [String], partitions: Int32) throws {
        let client = try connected()
        var requests: [OpaquePointer?] = []
        defer { for request in requests { rd_kafka_NewPartitions_destroy(request) } }
        for name in names { requests.append(try Self.item { rd_kafka_NewPartitions_new(name, Int(partitions), $0, $1) }) }
        let event = try result(of: RD_KAFKA_ADMIN_OP_CREATEPARTITIONS) { options, queue in
            rd_kafka_CreatePartitions(client.handle, &requests, requests.count, options, queue)
        }
        defer { rd_kafka_event_destroy(event) }
        var count = 0
        let results = rd_kafka_CreatePartitions_result_topics(rd_kafka_event_CreatePartitions_result(event), &count)
        for topic in UnsafeBufferPointer(start: results, count: count) { try Self.check(topic) }
    }

    func uncommitted(of topic: String, partitions: Int, by group: String) throws -> Int64 {
        // It neither joins the group nor commits.
        let client = try KafkaClient(configuration, role: .consumer(group: group), logger: Logger(label: "kafka-admin"))
        let list = rd_kafka_topic_partition_list_new(Int32(clamping: partitions))
        defer { rd_kafka_topic_partition_list_destroy(list) }
        for partition in 0..<Int32(clamping: partitions) { rd_kafka_topic_partition_list_add(list, topic, partition) }
        let error = rd_kafka_committed(client.handle, list, 10_000)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR, let list else { throw KafkaError(error) }
        let ends = try KafkaTopicReader.ends(
            of: topic, partitions: Array(0..<Int32(clamping: partitions)), on: client, until: .now + .seconds(10))
        var sum = Int64(0)
        for entry in UnsafeBufferPointer(start: list.pointee.elems, count: Int(list.pointee.cnt)) {
            guard entry.err == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(entry.err) }
            // Negative where nothing was committed.
            if let end = ends[entry.partition] { sum += max(0, end - max(0, entry.offset)) }
        }
        return sum
    }
}
