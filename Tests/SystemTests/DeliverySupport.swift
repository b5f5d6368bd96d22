import Foundation
import Messaging
import Models
import TestSupport
import Testing

/// Produces copies of records.
struct Redelivery: Sendable {
    let stack: LocalStack
    let producer: KafkaProducer

    init(_ stack: LocalStack) throws {
        self.stack = stack
        producer = try stack.producer()
    }

    /// Sends all records of the topics with this key again in reverse order, first unchanged, then with new event ids.
    /// - Returns: the new event ids by topic.
    func replay(_ topics: [Topic], key: String) async throws -> [Topic: [String]] {
        var sent: [Topic: [String]] = [:]
        for topic in topics {
            let records = try await stack.records(of: topic, key: key)
            #expect(!records.isEmpty, "\(topic)")
            for record in records.reversed() {
                try await producer.send(topic: topic.rawValue, key: record.key, value: record.value, headers: record.headers)
            }
            for record in records.reversed() {
                let id = UUID().uuidString.lowercased()
                let headers = record.headers.map { $0.name == "ce_id" ? KafkaHeader(name: $0.name, value: Array(id.utf8)) : $0 }
                try await producer.send(topic: topic.rawValue, key: record.key, value: record.value, headers: headers)
                sent[topic, default: []].append(id)
            }
        }
        return sent
    }

    /// Waits until all consumers of the topics have handled these ids, and thus also the earlier records with the same key, which are in
    /// the same partition.
    func awaitHandled(_ sent: [Topic: [String]]) async throws {
        for (topic, ids) in sent {
            let services = try #require(Topic.consumers.first { $0.topic == topic }?.services)
            let list = ids.map { "'\($0)'" }.joined(separator: ",")
            for service in services {
                let table = service.tablePrefix + "_inbox"
                try await eventually("\(service) has handled the copies of \(topic)") {
                    try await stack.sql("SELECT count(*) FROM \(table) WHERE event_id IN (\(list))") == ["\(ids.count)"]
                }
            }
        }
    }
}
