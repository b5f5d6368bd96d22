import Delivery
import Foundation
import Logging
import Messaging
import Models
import ServiceLifecycle

/// Wakes waiters by the keys of a topic's records, read in this instance's own consumer group. Losing a record is harmless.
struct WakeService: Service {
    let topics: [Topic]
    let waiters: Waiters
    let kafka: KafkaConfiguration
    let creator: TopicCreator
    let logger: Logger

    func run() async throws {
        // The consumer does not wait while topics are created. It reports a missing topic with growing pauses, up to a minute, so few of
        // these tasks exist at a time; each makes one attempt, which ends with the broker's answer or its timeout.
        let consumer = try KafkaConsumer(
            kafka.fetching(topics, by: .gateway), topics: topics.map(\.rawValue), group: "gateway-\(UUID().uuidString.lowercased())",
            logger: logger, onUnknownTopic: { [creator] _ in Task { await creator.ensure() } })
        try await withGracefulShutdownHandler {
            while let record = try await consumer.next() {
                if let key = record.key { waiters.wake(String(decoding: key, as: UTF8.self)) }
                // No other process continues this group, so offsets are needed only where it starts at the first record: it would start
                // there again after each rebalance.
                if kafka.offsetReset == .earliest { try? consumer.store(record) }
            }
        } onGracefulShutdown: {
            consumer.stop()
        }
        await consumer.close()
    }
}
