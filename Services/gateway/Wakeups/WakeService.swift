import Delivery
import Foundation
import Logging
import Messaging
import Models
import ServiceLifecycle

/// Reads a topic in a group of this instance's own, only for the keys of its records. A missed record is no loss.
struct WakeService: Service {
    let topics: [Topic]
    let waiters: Waiters
    let kafka: KafkaConfiguration
    let creator: TopicCreator
    let logger: Logger

    func run() async throws {
        let consumer = try KafkaConsumer(
            kafka, topics: topics.map(\.rawValue), group: "gateway-\(UUID().uuidString.lowercased())", logger: logger,
            onUnknownTopic: { [creator] _ in Task { await creator.ensure() } })
        try await withGracefulShutdownHandler {
            while let record = try await consumer.next() {
                if let key = record.key { waiters.wake(String(decoding: key, as: UTF8.self)) }
                try? await consumer.store(record)
            }
        } onGracefulShutdown: {
            consumer.stop()
        }
        await consumer.close()
    }
}
