import CRdKafka

/// An error reported by librdkafka or a broker.
public struct KafkaError: Error, CustomStringConvertible {
    /// The error code: negative for librdkafka's own errors, else the protocol's.
    public let code: Int32
    /// The error's name, such as `_TIMED_OUT` or `UNKNOWN_TOPIC_OR_PART`.
    public let name: String
    public let message: String
    /// Whether the client is unusable and must be replaced; producers and consumers do so themselves.
    public let isFatal: Bool

    init(_ error: rd_kafka_resp_err_t, message: String? = nil, isFatal: Bool = false) {
        code = error.rawValue
        name = rd_kafka_err2name(error).map { String(cString: $0) } ?? String(error.rawValue)
        self.message = message ?? rd_kafka_err2str(error).map { String(cString: $0) } ?? ""
        self.isFatal = isFatal || error == RD_KAFKA_RESP_ERR__FATAL
    }

    /// The same error, marked as fatal for the client.
    func asFatal() -> KafkaError { KafkaError(rd_kafka_resp_err_t(rawValue: code), message: message, isFatal: true) }

    /// Whether a retry may succeed, perhaps only after an operator has acted: true for all errors except records that no broker accepts and
    /// invalid calls (SPEC §1).
    public var isTransient: Bool { isFatal || !Self.hopelessCodes.contains(code) }

    /// Whether the topic or partition does not exist (yet).
    public var isUnknownTopic: Bool {
        [RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART]
            .contains { $0.rawValue == code }
    }

    /// Whether the client failed or was replaced while it had the record, which says nothing of the record's topic.
    public var isOfClient: Bool { isFatal || Self.clientCodes.contains(code) }

    public var description: String { "\(name): \(message)" }

    private static let clientCodes = Set(
        [RD_KAFKA_RESP_ERR__PURGE_QUEUE, RD_KAFKA_RESP_ERR__PURGE_INFLIGHT, RD_KAFKA_RESP_ERR__DESTROY].map(\.rawValue))

    private static let hopelessCodes = Set(
        [
            RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, RD_KAFKA_RESP_ERR_INVALID_MSG, RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE,
            RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE, RD_KAFKA_RESP_ERR_INVALID_RECORD, RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION,
            RD_KAFKA_RESP_ERR__BAD_MSG, RD_KAFKA_RESP_ERR__BAD_COMPRESSION, RD_KAFKA_RESP_ERR__INVALID_ARG,
            RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED, RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE,
        ].map(\.rawValue))
}
