import Foundation
public import Logging
public import Messaging
import Metrics
public import Models
import ObjectStorage
import Observability
public import Persistence
public import ServiceLifecycle

/// Consumes a topic for one handler and stores the offsets of what was handled or given up, which ``RecordDelivery`` sees to.
///
/// Runs `consumers` members of a group of its own, `service.topic`, each with one record in hand, so that a member's order holds.
public struct ConsumerService<Handler: MessageHandler>: Service {
    let consumers: Int
    let delivery: RecordDelivery<Handler>
    let open: @Sendable () throws -> any RecordSource

    /// - Parameters:
    ///   - consumers: members of the group in this process.
    ///   - ledger: of the handler's topic.
    ///   - clock: for the waits between tries.
    ///   - open: makes one member.
    public init(
        service: ServiceName, handler: Handler, consumers: Int, ledger: any RecordLedger<Handler.Transaction>,
        clock: any Clock<Duration> = ContinuousClock(), logger: Logger, open: @escaping @Sendable () throws -> any RecordSource
    ) {
        self.consumers = consumers
        delivery = RecordDelivery(service: service, handler: handler, ledger: ledger, clock: clock, logger: logger)
        self.open = open
    }

    public func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<consumers { group.addTask { try await consume() } }
            try await group.waitForAll()
        }
    }

    private func consume() async throws {
        let source = try open()
        try await withGracefulShutdownHandler {
            while let record = try await source.next() {
                let isHandled = await deliver(record)
                guard isHandled else { break }
                do {
                    try await source.store(record)
                } catch {
                    delivery.logger.warning("offset not stored; the record may come again", error: error)
                }
            }
        } onGracefulShutdown: {
            source.stop()
        }
        await source.close()
    }

    /// - Returns: false if shutdown came before the record was durable; it will be delivered again.
    private func deliver(_ record: KafkaRecord) async -> Bool {
        let trace = record.header("traceparent").flatMap(TraceContext.init(traceparent:))?.child() ?? TraceContext()
        let key = record.key.map { String(decoding: $0, as: UTF8.self) }
        let topic = Handler.Message.topic.rawValue
        return await TraceContext.$current.withValue(trace) {
            await WorkContext.$captureID.withValue(key) {
                let start = ContinuousClock.now
                let outcome = await delivery.deliver(record)
                Counter(label: "rial_records_handled_total", dimensions: [("topic", topic), ("outcome", outcome.rawValue)]).increment()
                Metrics.Timer(label: "rial_record_handling_seconds", dimensions: [("topic", topic)])
                    .record(duration: start.duration(to: .now))
                return outcome != .interrupted
            }
        }
    }
}

extension ConsumerService where Handler.Transaction == PostgresConnection {
    /// One group a topic: members of one group that read different topics take each other's partitions away whenever one comes or goes.
    static func group(of service: ServiceName) -> String { "\(service.rawValue).\(Handler.Message.topic.rawValue)" }

    /// Consumes from the broker, with the ledger in the service's database.
    public init(
        service: ServiceName, handler: Handler, consumers: Int, kafka: KafkaConfiguration, database: PostgresPool,
        topics: TopicCreator, logger: Logger
    ) {
        let topic = Handler.Message.topic
        self.init(
            service: service, handler: handler, consumers: consumers,
            ledger: PostgresRecordLedger(service: service, topic: topic, database: database), logger: logger
        ) {
            try KafkaConsumer(
                kafka, topics: [topic.rawValue], group: Self.group(of: service), logger: logger,
                onUnknownTopic: { [topics] _ in Task { await topics.ensure() } })
        }
    }
}
