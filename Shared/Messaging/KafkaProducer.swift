import Blocking
import CRdKafka
import Foundation
public import Logging
public import ServiceLifecycle
import Synchronization

/// Sends records, each acknowledged by all in-sync replicas. They stay in order and are not duplicated as long as the same client is used.
///
/// The client is replaced after a fatal error, after all brokers were down, and after a record timed out, since a restarted broker may no
/// longer know the producer. Records in flight then fail and may be sent again, except after a timeout: others may be fine.
public final class KafkaProducer: Service, Sendable {
    private let configuration: KafkaConfiguration
    private let logger: Logger
    private let executor = BlockingExecutor(label: "kafka-producer")
    /// `nil` once closed.
    let client: Mutex<KafkaClient?>

    /// - Throws: ``KafkaError`` if librdkafka refuses the configuration, or cannot start.
    public init(_ configuration: KafkaConfiguration, logger: Logger) throws {
        self.configuration = configuration
        self.logger = logger
        client = Mutex(try KafkaClient(configuration, role: .producer, logger: logger))
    }

    /// Sends one record and returns once the broker has acknowledged it. Records with the same key go to the same partition.
    ///
    /// Cancellation does not interrupt it; it returns or throws within the configuration's `messageTimeout`.
    /// - Throws: ``KafkaError``; the record may still have been written.
    public func send(topic: String, key: [UInt8]?, value: [UInt8]?, headers: [KafkaHeader] = []) async throws {
        let client = try usableClient()
        do {
            try await produce(topic: topic, key: key, value: value, headers: headers, on: client)
        } catch let error as KafkaError {
            throw client.isFatal ? error.asFatal() : error
        }
    }

    /// Waits until every record sent so far has its delivery report, for at most `timeout`.
    public func flush(timeout: Duration) async {
        guard let client = client.withLock({ $0 }) else { return }
        let left: Int32? = try? await executor.run {
            rd_kafka_flush(client.handle, timeout.milliseconds)
            return rd_kafka_outq_len(client.handle)
        }
        if let left, left > 0 { logger.warning("records not delivered", metadata: ["count": "\(left)"]) }
    }

    /// Waits for shutdown, then flushes and closes. The producer also works without being run.
    public func run() async throws {
        try? await gracefulShutdown()
        await flush(timeout: configuration.messageTimeout)
        client.withLock { $0 = nil }
    }

    /// The current client, or a new one if it has failed.
    private func usableClient() throws -> KafkaClient {
        try client.withLock { client in
            guard let current = client else { throw KafkaError(RD_KAFKA_RESP_ERR__DESTROY, message: "the producer is closed") }
            guard current.isFatal || current.events.isProducerSuspect else { return current }
            logger.notice("producer is replaced", metadata: ["fatal": "\(current.isFatal)"])
            let fresh = try KafkaClient(configuration, role: .producer, logger: logger)
            // Fails pending sends; else each gets its report or times out. The old client is destroyed when the last of them drops it.
            if current.isFatal { rd_kafka_purge(current.handle, KafkaClient.purgeEverything) }
            client = fresh
            return fresh
        }
    }

    private func produce(
        topic: String, key: [UInt8]?, value: [UInt8]?, headers: [KafkaHeader], on client: KafkaClient
    ) async throws {
        try await withCheckedThrowingContinuation { (delivery: KafkaEvents.Delivery) in
            let id = client.events.add(delivery)
            let outgoing = OutgoingRecord(topic: topic, key: key, value: value, headers: headers)
            if let error = outgoing.produce(on: client.handle, id: id) { client.events.finish(id, .failure(error)) }
        }
    }
}
