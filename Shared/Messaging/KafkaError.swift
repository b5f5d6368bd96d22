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

    /// Only time helps, or an operator: all but a record that no broker takes, or a call that no client makes sense of (SPEC §1).
    public var isTransient: Bool { isFatal || !Self.hopelessCodes.contains(code) }

    /// The topic or partition does not exist, or not yet.
    public var isUnknownTopic: Bool {
        [RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART]
            .contains { $0.rawValue == code }
    }

    public var description: String { "\(name): \(message)" }

    private static let hopelessCodes = Set(
        [
            RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, RD_KAFKA_RESP_ERR_INVALID_MSG, RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE,
            RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE, RD_KAFKA_RESP_ERR_INVALID_RECORD, RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION,
            RD_KAFKA_RESP_ERR__BAD_MSG, RD_KAFKA_RESP_ERR__BAD_COMPRESSION, RD_KAFKA_RESP_ERR__INVALID_ARG,
            RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED, RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE,
        ].map(\.rawValue))
}
