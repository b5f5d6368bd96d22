import Blocking
import CRdKafka
import Foundation
import Logging

/// Reads a topic from its beginning to its end, once, outside any consumer group; for dead-letter topics.
public struct KafkaTopicReader: Sendable {
    /// Idle time after which the end is assumed: some brokers under-report the high watermark.
    private static let idleTimeout: Duration = .milliseconds(1500)

    private let configuration: KafkaConfiguration
    private let executor = BlockingExecutor(label: "kafka-reader")

    public init(_ configuration: KafkaConfiguration) { self.configuration = configuration }

    /// - Parameters:
    ///   - limit: the maximum number of records returned.
    ///   - timeout: for reading, after the broker has listed its topics.
    /// - Returns: the records by partition and offset; empty if there is no such topic.
    /// - Throws: ``KafkaError`` if the broker does not respond in time; `_TIMED_OUT` if not all records could be read in time, so that an
    ///   incomplete result is never returned as complete.
    public func read(topic: String, limit: Int, timeout: Duration = .seconds(10)) async throws -> [KafkaRecord] {
        let partitions = try await KafkaAdmin(configuration).topics()[topic] ?? 0
        guard partitions > 0, limit > 0 else { return [] }
        // RD_KAFKA_OFFSET_BEGINNING
        return try await read(
            topic, from: Dictionary(uniqueKeysWithValues: (0..<Int32(clamping: partitions)).map { ($0, -2) }), limit, timeout)
    }

    /// The record at an offset of a partition.
    /// - Returns: `nil` if there is none there.
    /// - Throws: as ``read(topic:limit:timeout:)``.
    public func record(
        at offset: Int64, of partition: Int32, in topic: String, timeout: Duration = .seconds(10)
    ) async throws -> KafkaRecord? {
        let partitions = try await KafkaAdmin(configuration).topics()[topic] ?? 0
        guard (0..<Int32(clamping: partitions)).contains(partition), offset >= 0 else { return nil }
        return try await read(topic, from: [partition: offset], 1, timeout).first { $0.partition == partition && $0.offset == offset }
    }

    /// - Parameter starts: the first offset of each partition that is read.
    private func read(_ topic: String, from starts: [Int32: Int64], _ limit: Int, _ timeout: Duration) async throws -> [KafkaRecord] {
        // The client needs a group name, but it neither joins the group nor commits offsets.
        var settings = configuration
        settings.properties["enable.auto.commit"] = "false"
        // Only existing records are read: a longer fetch wait would look like the end.
        settings.fetchWait = .milliseconds(10)
        settings.properties["enable.partition.eof"] = "true"
        // For a broker that never responds: the library's default of one minute exceeds the timeout.
        settings.properties["socket.timeout.ms"] = "5000"
        let client = try KafkaClient(
            settings, role: .consumer(group: "rial-reader"), logger: Logger(label: "kafka-reader"))
        return try await executor.run {
            let deadline = ContinuousClock.now + timeout
            try Self.assign(topic, starts, on: client)
            defer { rd_kafka_consumer_close(client.handle) }
            let ends = try Self.ends(of: topic, partitions: starts.keys.sorted(), on: client, until: deadline)
            let unread = ends.filter { partition, end in starts[partition].map { $0 < end } ?? false }
            let records = try Self.poll(client, unread: unread, limit: limit, until: deadline)
            return records.sorted { ($0.partition, $0.offset) < ($1.partition, $1.offset) }
        }
    }

    private static func assign(_ topic: String, _ starts: [Int32: Int64], on client: KafkaClient) throws {
        let list = rd_kafka_topic_partition_list_new(Int32(clamping: starts.count))
        defer { rd_kafka_topic_partition_list_destroy(list) }
        for (partition, offset) in starts {
            rd_kafka_topic_partition_list_add(list, topic, partition)?.pointee.offset = offset
        }
        let error = rd_kafka_assign(client.handle, list)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error) }
    }

    /// The high watermark of each partition that has records, as the broker reports it.
    static func ends(
        of topic: String, partitions: [Int32], on client: KafkaClient, until deadline: ContinuousClock.Instant
    ) throws -> [Int32: Int64] {
        var ends: [Int32: Int64] = [:]
        for partition in partitions {
            var (low, high) = (Int64(0), Int64(0))
            var error = RD_KAFKA_RESP_ERR__TIMED_OUT
            while error != RD_KAFKA_RESP_ERR_NO_ERROR {
                let remaining = min(ContinuousClock.now.duration(to: deadline), .seconds(2))
                guard remaining > .zero else { throw KafkaError(error) }
                error = rd_kafka_query_watermark_offsets(client.handle, topic, partition, &low, &high, remaining.milliseconds)
                // Retry on any error, after a pause: older libraries report an unreachable broker as a bad message, and immediately. The
                // thread is the reader's own, and the deadline ends the loop.
                if error != RD_KAFKA_RESP_ERR_NO_ERROR { Thread.sleep(forTimeInterval: 0.1) }
            }
            if high > low { ends[partition] = high }
        }
        return ends
    }

    private static func poll(
        _ client: KafkaClient, unread: [Int32: Int64], limit: Int, until deadline: ContinuousClock.Instant
    ) throws -> [KafkaRecord] {
        var records: [KafkaRecord] = []
        var unread = unread
        var lastArrival = ContinuousClock.now
        while records.count < limit, .now < (unread.isEmpty ? min(deadline, lastArrival + idleTimeout) : deadline) {
            guard let message = rd_kafka_consumer_poll(client.handle, 100) else { continue }
            defer { rd_kafka_message_destroy(message) }
            let (partition, offset) = (message.pointee.partition, message.pointee.offset)
            switch message.pointee.err {
            case RD_KAFKA_RESP_ERR_NO_ERROR:
                records.append(KafkaRecord(message, generation: 0))
                if let end = unread[partition], offset >= end - 1 { unread[partition] = nil }
                lastArrival = .now
            case RD_KAFKA_RESP_ERR__PARTITION_EOF:
                // The last offsets may hold no records: transaction markers, or compacted records.
                if let end = unread[partition], offset >= end { unread[partition] = nil }
            default: continue
            }
        }
        guard unread.isEmpty || records.count >= limit else { throw KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT) }
        return records
    }
}
