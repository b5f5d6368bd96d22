import Blocking
import CaptureProtocol
import Foundation
public import Logging
public import Messaging
import Metrics
public import Models
import Observability
public import Persistence
public import ServiceLifecycle

/// Publishes records for ``OutboxRelay``.
public protocol RecordPublisher: Sendable {
    /// Returns once the broker has acknowledged the record. After an error the record may still have been published.
    func send(topic: String, key: [UInt8]?, value: [UInt8]?, headers: [KafkaHeader]) async throws
}

extension KafkaProducer: RecordPublisher {}

/// Publishes the rows of a service's outbox and deletes them, in one transaction: at-least-once.
///
/// Woken by `NOTIFY` when rows are written, and every second in case a notification was missed. Instances share the rows by `SKIP LOCKED`.
/// While the broker is unavailable the rows stay. A topic that it refuses is paused and retried separately, while the others continue.
public struct OutboxRelay: Service {
    static let batchSize = 100
    /// Larger than any event, so a larger row is a dead letter; only these can exceed the broker's limit. If a small row fails with that
    /// error, the error is its batch's.
    static let largeBytes = 100_000
    let service: ServiceName
    let rows: any OutboxRows
    let publisher: any RecordPublisher
    let createTopics: @Sendable () async -> Void
    let clock: any Clock<Duration>
    let logger: Logger
    private let paused = PausedTopics()
    /// The time on the clock since the relay was made.
    private let time: @Sendable () -> Duration

    private static var dropped: Counter { Counter(label: "rial_outbox_dropped_total") }

    /// - Parameters:
    ///   - createTopics: called when the broker does not know a topic.
    ///   - clock: for polling every second and for the backoff.
    public init(
        service: ServiceName, rows: any OutboxRows, publisher: any RecordPublisher, clock: any Clock<Duration> = ContinuousClock(),
        logger: Logger, createTopics: @escaping @Sendable () async -> Void
    ) {
        self.service = service
        self.rows = rows
        self.publisher = publisher
        self.createTopics = createTopics
        self.clock = clock
        self.logger = logger
        time = stopwatch(clock)
    }

    /// Relays from the service's database to Kafka.
    public init(
        service: ServiceName, database: PostgresPool, listener: PostgresListener, producer: KafkaProducer, topics: TopicCreator,
        logger: Logger
    ) {
        self.init(
            service: service, rows: PostgresOutboxRows(service: service, database: database, listener: listener), publisher: producer,
            logger: logger
        ) { await topics.ensure() }
    }

    public func run() async throws {
        Self.dropped.increment(by: 0)
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (ticks, tick) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in rows.notifications() { wake.yield() } }
                group.addTask {
                    while !Task.isCancelled {
                        wake.yield()
                        tick.yield()
                        try? await clock.sleep(for: .seconds(1))
                    }
                }
                group.addTask { await relay(wakes) }
                group.addTask { await retryPaused(ticks) { wake.yield() } }
            }
        }
        // Publish the last rows now instead of leaving them to the next instance.
        _ = try? await publishBatch()
    }

    private func relay(_ wakes: AsyncStream<Void>) async {
        var backoff = Backoff()
        for await _ in wakes {
            do {
                while !Task.isCancelled {
                    let batch = try await publishBatch()
                    if batch.done.isEmpty, batch.failure != nil {
                        try await clock.sleep(for: backoff.next())
                    } else {
                        backoff.reset()
                        if batch.failure == nil, batch.count < Self.batchSize { break }
                    }
                }
            } catch is CancellationError {
                return
            } catch {
                note(error)
                try? await clock.sleep(for: backoff.next())
            }
        }
    }

    /// Tries paused topics again, one at a time, in transactions of their own: an attempt may take as long as a record's timeout.
    /// - Parameter resume: called when rows were published; more of the topic may wait.
    private func retryPaused(_ ticks: AsyncStream<Void>, resume: @Sendable () -> Void) async {
        for await _ in ticks {
            for topic in paused.due(at: time()) where !Task.isCancelled {
                do {
                    if try await !retry(topic).done.isEmpty { resume() }
                } catch is CancellationError {
                    return
                } catch {
                    note(error)
                }
            }
        }
    }

    /// Retries a paused topic. Its pause ends once some of its rows were published, or none is left. Getting no rows is not enough, since
    /// another instance may have locked them or the gate may be closed; nor is a client that was replaced meanwhile.
    func retry(_ topic: String) async throws -> OutboxBatch {
        guard try await rows.hasAny(of: topic) else {
            paused.resume(topic)
            return OutboxBatch()
        }
        return try await publishBatch(of: .only(topic))
    }

    private func note(_ error: any Error) {
        Counter(label: "rial_outbox_publish_failures_total").increment()
        logger.warning("outbox not published", error: error)
    }

    /// Publishes a batch of up to ``batchSize`` rows of topics that are not paused. Rows that fail stay for a retry and pause their topic,
    /// except a dead letter that exceeds the broker's limit: it is logged as an error and dropped, since it would never leave the outbox.
    func publishBatch() async throws -> OutboxBatch { try await publishBatch(of: .all(but: paused.all)) }

    private func publishBatch(of topics: OutboxTopics) async throws -> OutboxBatch {
        let batch: OutboxBatch = try await rows.withBatch(limit: Self.batchSize, of: topics) { rows in
            guard !rows.isEmpty else { return ([], OutboxBatch()) }
            let batch = await publish(rows)
            FailPoint.reached("\(service.rawValue).relay.published")
            return (batch.done, batch)
        }
        // Now that their rows are free again: a topic is either paused or not, and one transaction at a time has rows of it.
        for topic in batch.refused { paused.pause(topic, at: time(), isPartly: batch.published.contains(topic)) }
        for topic in batch.published.subtracting(batch.refused) { paused.resume(topic) }
        if let failure = batch.failure { note(failure) }
        if batch.hasUnknownTopic { await createTopics() }
        return batch
    }

    private func publish(_ rows: [OutboxRow]) async -> OutboxBatch {
        await withTaskGroup(of: (OutboxRow, error: (any Error)?).self) { group in
            for row in rows {
                group.addTask {
                    let start = SpanTime.now
                    do {
                        try await publisher.send(topic: row.topic, key: Array(row.key.utf8), value: row.value, headers: row.headers)
                        row.recordSent(since: start)
                        return (row, nil)
                    } catch {
                        return (row, error)
                    }
                }
            }
            var batch = OutboxBatch(count: rows.count)
            var published = 0
            for await (row, error) in group {
                if let error = error as? KafkaError, !error.isTransient, row.sizeBytes > Self.largeBytes {
                    Self.dropped.increment()
                    logger.error("a record that no broker takes is dropped", metadata: ["row": "\(row.id)", "error": "\(error)"])
                    batch.done.append(row.id)
                } else if let error {
                    batch.note(error, of: row)
                } else {
                    published += 1
                    batch.done.append(row.id)
                    batch.published.insert(row.topic)
                }
            }
            Counter(label: "rial_outbox_published_total").increment(by: published)
            return batch
        }
    }
}

/// The time on a clock since now.
private func stopwatch<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
}

extension OutboxRow {
    /// The size of value and headers.
    fileprivate var sizeBytes: Int { headers.reduce(value?.count ?? 0) { $0 + $1.sizeBytes } }

    /// Records only the attempt that succeeded: while the broker is unavailable, there are many failed ones a second.
    fileprivate func recordSent(since start: SpanTime) {
        guard let parent = TraceContext(headers: headers) else { return }
        RecordSpan.send.record(
            topic: topic, key: key, eventID: headers.text(of: "ce_id"), parent.child(), parent: parent, since: start)
    }
}
