import CRdKafka
import Foundation
import Logging
import Messaging
import TestSupport
import Testing

/// The broker of a test: librdkafka's mock cluster in this process, or the broker at `RIAL_TEST_KAFKA_BROKERS`.
enum TestBroker: String, CaseIterable, CustomTestStringConvertible {
    case mock, real

    private static let address = ProcessInfo.processInfo.environment["RIAL_TEST_KAFKA_BROKERS"].flatMap { $0.isEmpty ? nil : $0 }

    /// The real broker only if it is configured.
    static var available: [TestBroker] { address == nil ? [.mock] : [.mock, .real] }

    var testDescription: String { rawValue }

    /// Runs the body with a configuration and a new topic.
    func with(partitions: Int32 = 1, _ body: (KafkaConfiguration, _ topic: String) async throws -> Void) async throws {
        let topic = "test-" + UUID().uuidString.lowercased()
        switch self {
        case .mock:
            let cluster = try MockCluster()
            try cluster.createTopic(topic, partitions: partitions)
            try await body(KafkaConfiguration(brokers: cluster.brokers, clientID: "tests"), topic)
            withExtendedLifetime(cluster) {}
        case .real:
            let configuration = KafkaConfiguration(brokers: try #require(Self.address), clientID: "tests")
            try await KafkaAdmin(configuration).createTopics([topic], partitions: partitions)
            try await body(configuration, topic)
        }
    }
}

/// A mock broker, destroyed with the last reference.
///
/// `@unchecked Sendable`: librdkafka's handles are thread-safe.
final class MockCluster: @unchecked Sendable {
    private let handle: OpaquePointer
    private let cluster: OpaquePointer
    let brokers: String

    init(brokers count: Int32 = 1) throws {
        handle = try #require(rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), nil, 0))
        cluster = try #require(rd_kafka_mock_cluster_new(handle, count))
        brokers = String(cString: try #require(rd_kafka_mock_cluster_bootstraps(cluster)))
    }

    deinit {
        rd_kafka_mock_cluster_destroy(cluster)
        rd_kafka_destroy(handle)
    }

    func createTopic(_ name: String, partitions: Int32) throws {
        try #require(rd_kafka_mock_topic_create(cluster, name, partitions, 1) == RD_KAFKA_RESP_ERR_NO_ERROR)
    }

    /// Makes a broker the leader of a topic's first partition.
    func setLeader(of topic: String, _ broker: Int32) throws {
        try #require(rd_kafka_mock_partition_set_leader(cluster, topic, 0, broker) == RD_KAFKA_RESP_ERR_NO_ERROR)
    }

    /// Delays the first broker's answers.
    func setDelay(milliseconds: Int32) { rd_kafka_mock_broker_set_rtt(cluster, 1, milliseconds) }

    func setDown(_ broker: Int32 = 1) { rd_kafka_mock_broker_set_down(cluster, broker) }
    func setUp() { rd_kafka_mock_broker_set_up(cluster, 1) }
}

let logger = Logger(label: "tests")

/// Consumes `count` records, for at most a minute and a half, without storing their offsets.
func receive(_ count: Int, from consumer: KafkaConsumer) async throws -> [KafkaRecord] {
    let watchdog = Task {
        try await Task.sleep(for: .seconds(90))
        consumer.stop()
    }
    defer { watchdog.cancel() }
    var records: [KafkaRecord] = []
    while records.count < count, let record = try await consumer.next() { records.append(record) }
    return records
}

func kafkaError(_ body: () async throws -> Void) async -> KafkaError? { await error(KafkaError.self, of: body) }

extension String {
    var bytes: [UInt8] { Array(utf8) }
}
