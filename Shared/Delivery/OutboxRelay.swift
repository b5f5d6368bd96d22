import Blocking
import Foundation
import Logging
import Messaging
import Metrics
import Models
import Observability
import Persistence
import ServiceLifecycle

/// Publishes what a service's outbox holds and deletes it, in one transaction: at-least-once.
///
/// Woken by `NOTIFY` when rows are written, and once a second in case a notification was missed. Instances share the work by
/// `SKIP LOCKED`. While the broker is away the rows stay.
public struct OutboxRelay: Service {
    static let batchSize = 100
    /// More than any event has: a dead letter, and the only rows that can be too large for a broker. The same error of a small row is that of
    /// the batch it travelled in.
    static let largeBytes = 100_000
    let service: ServiceName
    let database: PostgresPool
    let listener: PostgresListener
    let producer: KafkaProducer
    let topics: TopicCreator
    let logger: Logger

    public init(
        service: ServiceName, database: PostgresPool, listener: PostgresListener, producer: KafkaProducer, topics: TopicCreator,
        logger: Logger
    ) {
        self.service = service
        self.database = database
        self.listener = listener
        self.producer = producer
        self.topics = topics
        self.logger = logger
    }

    public func run() async throws {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in listener.notifications() { wake.yield() } }
                group.addTask {
                    while !Task.isCancelled {
                        wake.yield()
                        try? await Task.sleep(for: .seconds(1))
                    }
                }
                group.addTask { await relay(wakes) }
            }
        }
        // What the last handlers wrote leaves now rather than with the next instance.
        _ = try? await publishBatch()
    }

    private func relay(_ wakes: AsyncStream<Void>) async {
        var backoff = Backoff()
        for await _ in wakes {
            do {
                while try await publishBatch() == Self.batchSize {}
                backoff.reset()
            } catch is CancellationError {
                return
            } catch {
                Counter(label: "rial_outbox_publish_failures_total").increment()
                logger.warning("outbox not published", error: error)
                try? await Task.sleep(for: backoff.next())
            }
        }
    }

    /// Publishes up to a hundred rows. Those that could not be sent stay; a dead letter that is too large for the broker is dropped,
    /// with an error in the log: everything behind it would wait for ever.
    /// - Returns: how many rows were tried.
    /// - Throws: what kept rows from being published, after the others were deleted.
    func publishBatch() async throws -> Int {
        let (count, failure) = try await database.withTransaction { connection in
            let rows = try await connection.query(
                """
                SELECT id, topic, record_key, headers, value FROM \(unescaped: service.outboxTable)
                ORDER BY id LIMIT \(Self.batchSize) FOR UPDATE SKIP LOCKED
                """)
            guard !rows.isEmpty else { return (0, (any Error)?.none) }
            let (done, failure) = try await publish(rows)
            FailPoint.reached("\(service.rawValue).relay.published")
            try await connection.query(
                """
                DELETE FROM \(unescaped: service.outboxTable) WHERE id = ANY(\(done))
                """)
            return (rows.count, failure)
        }
        if let failure {
            if let kafka = failure as? KafkaError, kafka.isUnknownTopic { await topics.ensure() }
            throw failure
        }
        return count
    }

    private func publish(_ rows: [Row]) async throws -> (done: [Int64], failure: (any Error)?) {
        try await withThrowingTaskGroup(of: (Int64, isLarge: Bool, error: (any Error)?).self) { group in
            for row in rows {
                let id = try row.get("id", as: Int64.self)
                let topic = try row.get("topic", as: String.self)
                let key = try row.get("record_key", as: String.self)
                let value = try row.getOptional("value", as: [UInt8].self)
                let headers = try row.get("headers", as: PostgresJSON.self).decode([StoredHeader].self)
                    .map { KafkaHeader(name: $0.name, value: $0.value?.bytes) }
                let isLarge = headers.reduce(value?.count ?? 0) { $0 + $1.sizeBytes } > Self.largeBytes
                group.addTask {
                    do {
                        try await producer.send(topic: topic, key: Array(key.utf8), value: value, headers: headers)
                        return (id, isLarge, nil)
                    } catch {
                        return (id, isLarge, error)
                    }
                }
            }
            var done: [Int64] = []
            var published = 0
            var failure: (any Error)?
            for try await (id, isLarge, error) in group {
                if let error = error as? KafkaError, !error.isTransient, isLarge {
                    Counter(label: "rial_outbox_dropped_total").increment()
                    logger.error("a record that no broker takes is dropped", metadata: ["row": "\(id)", "error": "\(error)"])
                    done.append(id)
                } else if let error {
                    failure = error
                } else {
                    published += 1
                    done.append(id)
                }
            }
            Counter(label: "rial_outbox_published_total").increment(by: published)
            return (done, failure)
        }
    }
}
