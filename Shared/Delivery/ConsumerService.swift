import Blocking
import CaptureProtocol
import Foundation
import Logging
import Messaging
import Metrics
import Models
import ObjectStorage
import Observability
import Persistence
import ServiceLifecycle

/// Consumes a topic for one handler: decodes, retries, sends what can never succeed to the dead-letter topic, stores offsets.
///
/// Runs `consumers` members of a group of its own, `service.topic`, each with one record in hand, so that a member's order holds.
public struct ConsumerService<Handler: MessageHandler>: Service {
    /// Tries of a record whose failure is no dependency's, before it becomes a dead letter.
    static var maximumAttempts: Int { 6 }
    let service: ServiceName
    let handler: Handler
    let consumers: Int
    let kafka: KafkaConfiguration
    let database: PostgresPool
    let topics: TopicCreator
    let logger: Logger

    public init(
        service: ServiceName, handler: Handler, consumers: Int, kafka: KafkaConfiguration, database: PostgresPool,
        topics: TopicCreator, logger: Logger
    ) {
        self.service = service
        self.handler = handler
        self.consumers = consumers
        self.kafka = kafka
        self.database = database
        self.topics = topics
        self.logger = logger
    }

    private var topic: Topic { Handler.Message.topic }

    /// One group a topic: members of one group that read different topics take each other's partitions away whenever one comes or goes.
    static func group(of service: ServiceName) -> String { "\(service.rawValue).\(Handler.Message.topic.rawValue)" }

    public func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<consumers { group.addTask { try await consume() } }
            try await group.waitForAll()
        }
    }

    private func consume() async throws {
        let consumer = try KafkaConsumer(
            kafka, topics: [topic.rawValue], group: Self.group(of: service), logger: logger,
            onUnknownTopic: { [topics] _ in Task { await topics.ensure() } })
        try await withGracefulShutdownHandler {
            while let record = try await consumer.next() {
                let isHandled = await process(record)
                guard isHandled else { break }
                do {
                    try await consumer.store(record)
                } catch {
                    logger.warning("offset not stored; the record may come again", error: error)
                }
            }
        } onGracefulShutdown: {
            consumer.stop()
        }
        await consumer.close()
    }

    /// - Returns: false if shutdown came before the record was durable; it will be delivered again.
    private func process(_ record: KafkaRecord) async -> Bool {
        let trace = record.header("traceparent").flatMap(TraceContext.init(traceparent:))?.child() ?? TraceContext()
        let key = record.key.map { String(decoding: $0, as: UTF8.self) }
        return await TraceContext.$current.withValue(trace) {
            await WorkContext.$captureID.withValue(key) {
                let start = ContinuousClock.now
                let outcome = await attempt(record)
                let labels = [("topic", topic.rawValue), ("outcome", outcome.rawValue)]
                Counter(label: "rial_records_handled_total", dimensions: labels).increment()
                Metrics.Timer(label: "rial_record_handling_seconds", dimensions: [("topic", topic.rawValue)])
                    .record(duration: start.duration(to: .now))
                return outcome != .interrupted
            }
        }
    }

    private var isStopping: Bool { Task.isCancelled || Task.isShuttingDownGracefully }

    /// Waits, but not for longer than until shutdown.
    private func pause(_ duration: Duration) async {
        await cancelWhenGracefulShutdown { try? await Task.sleep(for: duration) }
    }

    private enum Outcome: String { case done, deadLetter = "dead_letter", interrupted }

    private func attempt(_ record: KafkaRecord) async -> Outcome {
        let decoded: (message: Handler.Message, id: EventID)
        do {
            decoded = try decode(record)
        } catch {
            let reason = (error as? RejectedMessage) ?? RejectedMessage(.undecodable, detail: "\(error)")
            return await deadLetter(record, reason, message: nil, attempts: 1)
        }
        let inHand = InHand(service: service)
        var backoff = Backoff()
        var attempts = 0
        var isInHand = false
        while !isStopping {
            attempts += 1
            let context = MessageContext(eventID: decoded.id, topic: topic, logger: logger)
            do {
                if !isInHand {
                    let deaths = try await inHand.take(decoded.id, consumer: topic, database)
                    isInHand = true
                    guard deaths < InHand.maximumDeaths else {
                        throw RejectedMessage(.processDied, detail: "\(deaths) processes ended while they had it in hand")
                    }
                }
                try await handler.handle(decoded.message, context)
                return .done
            } catch let rejection as RejectedMessage {
                return await deadLetter(record, rejection, message: decoded.message, attempts: attempts)
            } catch {
                if isStopping { break }
                if isDependencyFailure(error) {
                    attempts -= 1
                } else if attempts >= Self.maximumAttempts {
                    let rejection = RejectedMessage(.handlingFailed, detail: "\(error)")
                    return await deadLetter(record, rejection, message: decoded.message, attempts: attempts)
                }
                Counter(label: "rial_record_retries_total", dimensions: [("topic", topic.rawValue)]).increment()
                logger.warning("record not handled yet", error: error)
                // Another member may be given the record while this one waits: that is no death.
                if isInHand, await release(decoded.id) { isInHand = false }
                await pause(backoff.next())
            }
        }
        if isInHand { _ = await release(decoded.id) }
        return .interrupted
    }

    /// So that an orderly end is not taken for a death; a database that does not answer now must not hold it up.
    /// - Returns: false if the database does not say that it was noted.
    private func release(_ event: EventID) async -> Bool {
        await answer(within: .seconds(2)) {
            (try? await InHand(service: service).release(event, consumer: topic, database)) != nil
        } ?? false
    }

    private func decode(_ record: KafkaRecord) throws -> (Handler.Message, EventID) {
        guard let value = record.value else { throw RejectedMessage(.tombstone) }
        guard let id = record.header("ce_id").flatMap(EventID.init) else { throw RejectedMessage(.noEventID) }
        do {
            return (try WireJSON.decode(Handler.Message.self, from: value), id)
        } catch {
            throw RejectedMessage(.undecodable, detail: "\(error)")
        }
    }

    /// Stores the dead letter and what the handler announces of it in one transaction; tries until that has succeeded.
    private func deadLetter(
        _ record: KafkaRecord, _ rejection: RejectedMessage, message: Handler.Message?, attempts: Int
    ) async -> Outcome {
        logger.error("record given up", metadata: ["reason": "\(rejection)", "offset": "\(record.offset)"])
        let letter = DeadLetter(record: record, rejection: rejection, service: service, attempts: attempts)
        var backoff = Backoff()
        while !isStopping {
            do {
                try await database.withTransaction { connection in
                    try await letter.append(to: Outbox(service), on: connection)
                    if let id = record.header("ce_id").flatMap(EventID.init) {
                        try await InHand(service: service).settle(id, consumer: topic, on: connection)
                    }
                    if let message { try await handler.giveUp(message, reason: rejection.reason, on: connection) }
                }
                Counter(label: "rial_dead_letters_total", dimensions: [("topic", topic.rawValue)]).increment()
                return .deadLetter
            } catch {
                logger.error("dead letter not stored yet", error: error)
                await pause(backoff.next())
            }
        }
        return .interrupted
    }
}

/// Whether the failure is that of PostgreSQL, the broker or the object store being away: then only time helps.
public func isDependencyFailure(_ error: any Error) -> Bool {
    switch error {
    case is DependencyUnavailable: true
    case let error as PostgresError: error.isTransient
    case let error as KafkaError: error.isTransient
    case let error as ObjectStorageError: error.isTransient
    default: false
    }
}
