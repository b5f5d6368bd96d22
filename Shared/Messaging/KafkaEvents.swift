import CRdKafka
import Logging
import Synchronization

/// Receives librdkafka's callbacks for one client: log lines, errors and delivery reports.
final class KafkaEvents: Sendable {
    typealias Delivery = CheckedContinuation<Void, any Error>

    private let logger: Logger
    private let hasDelivered = Atomic<Bool>(false)
    private let hasLostBroker = Atomic<Bool>(false)
    private let isSuspect = Atomic<Bool>(false)
    private let isAssigned = Atomic<Bool>(false)
    private let deliveries = Mutex<Deliveries>(Deliveries())

    /// Continuations that wait for a delivery report. The code that removes one must resume it.
    private struct Deliveries {
        var waiting: [UInt: Delivery] = [:]
        var lastID: UInt = 0
    }

    init(logger: Logger) { self.logger = logger }

    /// The instance of a callback's client.
    static func of(_ handle: OpaquePointer?) -> KafkaEvents? {
        guard let handle, let opaque = rd_kafka_opaque(handle) else { return nil }
        return Unmanaged<KafkaEvents>.fromOpaque(opaque).takeUnretainedValue()
    }

    /// Whether the broker may no longer know the producer, because it restarted or timed out. librdkafka would then retry the same records
    /// forever, so the producer is replaced, which is cheap.
    var isProducerSuspect: Bool { isSuspect.load(ordering: .acquiring) }

    /// Whether a consumer has its assignment, even an empty one; false while it joins its group.
    var isMember: Bool { isAssigned.load(ordering: .acquiring) }

    /// Applies the group's assignment or revocation of partitions; called within a consumer's poll, which it ends: the consumer has to
    /// know since when it is a member.
    func rebalance(
        _ handle: OpaquePointer?, _ code: rd_kafka_resp_err_t, _ partitions: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
    ) {
        let isAssignment = code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS
        let error = rd_kafka_assign(handle, isAssignment ? partitions : nil)
        if error != RD_KAFKA_RESP_ERR_NO_ERROR { report(KafkaError(error)) }
        isAssigned.store(isAssignment, ordering: .releasing)
        rd_kafka_yield(handle)
    }

    /// - Returns: an id, never 0, that is passed with the record as its opaque pointer.
    func add(_ delivery: Delivery) -> UInt {
        deliveries.withLock { deliveries in
            deliveries.lastID &+= 1
            deliveries.waiting[deliveries.lastID] = delivery
            return deliveries.lastID
        }
    }

    func finish(_ id: UInt, _ result: Result<Void, KafkaError>) {
        deliveries.withLock { $0.waiting.removeValue(forKey: id) }?.resume(with: result.mapError { $0 })
    }

    func failAll(_ error: KafkaError) {
        let left = deliveries.withLock { deliveries in
            defer { deliveries.waiting = [:] }
            return Array(deliveries.waiting.values)
        }
        for delivery in left { delivery.resume(throwing: error) }
    }

    /// - Parameter handle: the producer of the event.
    func receive(_ event: OpaquePointer, of handle: OpaquePointer?) {
        switch rd_kafka_event_type(event) {
        case RD_KAFKA_EVENT_DR:
            while let message = rd_kafka_event_message_next(event) {
                noteOutcome(message.pointee.err)
                let error = message.pointee.err
                let result: Result<Void, KafkaError> =
                    error == RD_KAFKA_RESP_ERR_NO_ERROR ? .success(()) : .failure(KafkaError(error))
                finish(UInt(bitPattern: message.pointee._private), result)
            }
        case RD_KAFKA_EVENT_ERROR:
            let code = rd_kafka_event_error(event)
            report(KafkaError(code, message: rd_kafka_event_error_string(event).map { String(cString: $0) }))
            if code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, hasDelivered.load(ordering: .acquiring) {
                isSuspect.store(true, ordering: .releasing)
                // Purge fails the records in flight; their senders send them again through the next client.
                rd_kafka_purge(handle, KafkaClient.purgeEverything)
            }
        default: break
        }
    }

    /// Receives a consumer's error that belongs to no record or partition; called within its poll, which it ends: the consumer may have to
    /// replace its client.
    /// - Parameter handle: the consumer of the error.
    func receive(_ code: rd_kafka_resp_err_t, reason: UnsafePointer<CChar>?, of handle: OpaquePointer?) {
        report(KafkaError(code, message: reason.map { String(cString: $0) }))
        switch code {
        case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__RESOLVE:
            hasLostBroker.store(true, ordering: .releasing)
        default: break
        }
        rd_kafka_yield(handle)
    }

    /// Whether a broker was unreachable since the last call.
    func takeBrokerLoss() -> Bool { hasLostBroker.exchange(false, ordering: .acquiringAndReleasing) }

    private func noteOutcome(_ error: rd_kafka_resp_err_t) {
        switch error {
        case RD_KAFKA_RESP_ERR_NO_ERROR: hasDelivered.store(true, ordering: .releasing)
        case RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID,
            RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_ID_MAPPING:
            isSuspect.store(true, ordering: .releasing)
        default: break
        }
    }

    func report(_ error: KafkaError) {
        logger.log(level: error.isTransient ? .info : .warning, "kafka", metadata: ["error": "\(error)"])
    }

    /// - Parameter level: a syslog level, 0 to 7.
    func log(level: Int32, text: UnsafePointer<CChar>?) {
        guard let text else { return }
        // Important errors are also reported as such; these lines repeat while a broker is down.
        logger.log(level: level <= 4 ? .debug : .trace, "librdkafka", metadata: ["line": "\(String(cString: text))"])
    }
}
