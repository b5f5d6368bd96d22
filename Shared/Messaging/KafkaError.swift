import CRdKafka

/// What librdkafka or a broker says went wrong.
public struct KafkaError: Error, Sendable, CustomStringConvertible {
    /// The number: negative for librdkafka's own, else the protocol's.
    public let code: Int32
    /// Such as `_TIMED_OUT` or `UNKNOWN_TOPIC_OR_PART`.
    public let name: String
    public let message: String
    /// The client that met it is of no use any more; ours make another.
    public let isFatal: Bool

    init(_ error: rd_kafka_resp_err_t, message: String? = nil, isFatal: Bool = false) {
        code = error.rawValue
        name = rd_kafka_err2name(error).map { String(cString: $0) } ?? String(error.rawValue)
        self.message = message ?? rd_kafka_err2str(error).map { String(cString: $0) } ?? ""
        self.isFatal = isFatal || error == RD_KAFKA_RESP_ERR__FATAL
    }

    /// The same error, met by a client that is of no use any more.
    func asFatal() -> KafkaError { KafkaError(rd_kafka_resp_err_t(rawValue: code), message: message, isFatal: true) }

    /// Only time helps: the broker is away or changing, a topic is not there yet, or the client is being replaced.
    public var isTransient: Bool { isFatal || Self.transientCodes.contains(code) || isUnknownTopic }

    /// The topic or partition does not exist, or not yet.
    public var isUnknownTopic: Bool {
        [RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART]
            .contains { $0.rawValue == code }
    }

    public var description: String { "\(name): \(message)" }

    private static let transientCodes = Set(
        [
            RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, RD_KAFKA_RESP_ERR__RESOLVE,
            RD_KAFKA_RESP_ERR__TIMED_OUT, RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE,
            RD_KAFKA_RESP_ERR__QUEUE_FULL, RD_KAFKA_RESP_ERR__WAIT_COORD, RD_KAFKA_RESP_ERR__DESTROY,
            RD_KAFKA_RESP_ERR__PURGE_QUEUE, RD_KAFKA_RESP_ERR__PURGE_INFLIGHT,
            RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
            RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE,
            RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION,
            RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE,
            RD_KAFKA_RESP_ERR_NOT_COORDINATOR, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
            RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND, RD_KAFKA_RESP_ERR_NOT_CONTROLLER,
            RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID, RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER,
            RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_ID_MAPPING,
            RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR,
        ].map(\.rawValue))
}
