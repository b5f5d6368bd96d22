import CRdKafka

extension KafkaRecord {
    /// Copies the record out of librdkafka.
    init(_ message: UnsafeMutablePointer<rd_kafka_message_t>, generation: UInt64) {
        let lent = message.pointee
        var kind = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
        let timestamp = rd_kafka_message_timestamp(message, &kind)
        self.init(
            topic: topicName(of: message) ?? "", partition: lent.partition, offset: lent.offset,
            key: copy(lent.key, lent.key_len), value: copy(lent.payload, lent.len), headers: copyHeaders(of: message),
            timestampMilliseconds: kind == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE || timestamp < 0 ? nil : timestamp)
        self.generation = generation
    }
}

/// The topic of a record or of an error; errors may have none.
func topicName(of message: UnsafeMutablePointer<rd_kafka_message_t>) -> String? {
    message.pointee.rkt.flatMap { rd_kafka_topic_name($0) }.map { String(cString: $0) }
}

private func copy(_ bytes: UnsafeRawPointer?, _ count: Int) -> [UInt8]? {
    bytes.map { Array(UnsafeRawBufferPointer(start: $0, count: count)) }
}

private func copyHeaders(of message: UnsafeMutablePointer<rd_kafka_message_t>) -> [KafkaHeader] {
    var list: OpaquePointer?
    guard rd_kafka_message_headers(message, &list) == RD_KAFKA_RESP_ERR_NO_ERROR, let list else { return [] }
    var headers: [KafkaHeader] = []
    var name: UnsafePointer<CChar>?
    var value: UnsafeRawPointer?
    var count = 0
    while rd_kafka_header_get_all(list, headers.count, &name, &value, &count) == RD_KAFKA_RESP_ERR_NO_ERROR {
        headers.append(KafkaHeader(name: name.map { String(cString: $0) } ?? "", value: copy(value, count)))
    }
    return headers
}
