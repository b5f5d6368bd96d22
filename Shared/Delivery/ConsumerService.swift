import Foundation
public import Logging
public import Messaging
import Metrics
public import Models
import ObjectStorage
import Observability
public import Persistence
public import ServiceLifecycle

/// Consumes a topic for one handler. ``RecordDelivery`` handles each record; the offset is stored once it is handled or dead-lettered.
///
/// Runs `consumers` members of the consumer group `service.topic`. Each handles one record after the other, so the order within a partition
/// is kept; a handler that takes long may let others pass (``MessageContext/letOthersPass()``), as does one that the store has failed three
/// times, but none of its own key.
public struct ConsumerService<Handler: MessageHandler>: Service {
    let consumers: Int
    let delivery: RecordDelivery<Handler>
    let open: @Sendable () throws -> any RecordSource

    /// - Parameters:
    ///   - consumers: members of the group in this process.
    ///   - ledger: the ledger of the handler's topic.
    ///   - clock: for the backoff between attempts.
    ///   - open: opens one member of the group.
    public init(
        service: ServiceName, handler: Handler, consumers: Int, ledger: any RecordLedger<Handler.Transaction>,
        clock: any Clock<Duration> = ContinuousClock(), logger: Logger, open: @escaping @Sendable () throws -> any RecordSource
    ) {
        self.consumers = consumers
        delivery = RecordDelivery(service: service, handler: handler, ledger: ledger, clock: clock, logger: logger)
        self.open = open
    }

    public func run() async throws {
        // Shown before there is one, so that the first one is an increase.
        RecordDelivery<Handler>.deadLetters.increment(by: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<consumers { group.addTask { try await consume() } }
            try await group.waitForAll()
        }
    }

    private func consume() async throws {
        let source = try open()
        let desk = RecordDesk()
        try await withGracefulShutdownHandler {
            // Keeps nothing of records that are handled.
            try await withThrowingDiscardingTaskGroup { group in
                while let record = try await source.next() {
                    if desk.has(record) { continue }
                    let (turn, ahead) = await desk.begin(record)
                    group.addTask {
                        await ahead?.finished()
                        let isHandled = await deliver(record) { desk.pass(turn, of: record) }
                        if let last = desk.finish(record, isHandled: isHandled) { await store(last, source) }
                        turn.finish()
                    }
                    await turn.passed()
                    if desk.isInterrupted { break }
                }
            }
        } onGracefulShutdown: {
            source.stop()
        }
        await source.close()
    }

    private func store(_ record: KafkaRecord, _ source: any RecordSource) async {
        do {
            try await source.store(record)
        } catch {
            delivery.logger.warning("offset not stored; the record may come again", error: error)
        }
    }

    /// - Returns: false if shutdown began before the effect was durable; the record will be redelivered.
    private func deliver(_ record: KafkaRecord, passing: @escaping @Sendable () -> Void) async -> Bool {
        let (parent, began) = (TraceContext(headers: record.headers), SpanTime.now)
        let trace = parent?.child() ?? TraceContext()
        let key = record.key.map { String(decoding: $0, as: UTF8.self) }
        let topic = Handler.Message.topic.rawValue
        return await TraceContext.$current.withValue(trace) {
            await WorkContext.$captureID.withValue(key) {
                let start = ContinuousClock.now
                let outcome = await delivery.deliver(record, passing: passing)
                Counter(label: "rial_records_handled_total", dimensions: [("topic", topic), ("outcome", outcome.rawValue)]).increment()
                Metrics.Timer(label: "rial_record_handling_seconds", dimensions: [("topic", topic)])
                    .record(duration: start.duration(to: .now))
                RecordSpan.process.record(
                    topic: topic, key: key, eventID: record.header("ce_id"), trace, parent: parent, since: began,
                    more: [
                        ("messaging.consumer.group.name", .text(Handler.Message.topic.consumerGroup(of: delivery.service))),
                        ("messaging.destination.partition.id", .text(String(record.partition))),
                        ("messaging.kafka.offset", .integer(record.offset)),
                    ],
                    failure: outcome == .done ? nil : outcome.rawValue)
                return outcome != .interrupted
            }
        }
    }
}

extension ConsumerService where Handler.Transaction == PostgresConnection {
    /// Consumes from Kafka, with the ledger in the service's database.
    public init(
        service: ServiceName, handler: Handler, consumers: Int, kafka: KafkaConfiguration, database: PostgresPool,
        topics: TopicCreator, logger: Logger
    ) {
        let topic = Handler.Message.topic
        // The consumer does not wait while topics are created. It reports a missing topic with growing pauses, up to a minute, so few of
        // these tasks exist at a time; each makes one attempt, which ends with the broker's answer or its timeout.
        self.init(
            service: service, handler: handler, consumers: consumers,
            ledger: PostgresRecordLedger(service: service, topic: topic, database: database), logger: logger
        ) {
            try KafkaConsumer(
                kafka.fetching([topic], by: service), topics: [topic.rawValue], group: topic.consumerGroup(of: service), logger: logger,
                onUnknownTopic: { [topics] _ in Task { await topics.ensure() } })
        }
    }
}

extension KafkaConfiguration {
    /// Brokers that respond only at the end of ``fetchWait`` need a short one for low latency, and spend processor time on each fetch: few
    /// fetches do where records may be seen later. A record of a video may take longer than others.
    public func fetching(_ topics: [Topic], by service: ServiceName) -> KafkaConfiguration {
        var configuration = self
        let delay = topics.map { $0.tolerableDelay(for: service) }.min() ?? .zero
        configuration.fetchWait = max(fetchWait, delay)
        // A video may be decoded twice, each time after it waited for another's.
        if topics.contains(.videoReceived) { configuration.maximumPollInterval = max(maximumPollInterval, .seconds(1200)) }
        return configuration
    }
}
