import CRdKafka

/// A record to be passed to librdkafka, which copies all of it.
struct OutgoingRecord {
    let topic: String
    let key: [UInt8]?
    let value: [UInt8]?
    let headers: [KafkaHeader]

    /// Does not block. On success a delivery report with `id` follows.
    func produce(on handle: OpaquePointer, id: UInt) -> KafkaError? {
        guard !topic.isEmpty, !topic.utf8.contains(0) else {
            return KafkaError(RD_KAFKA_RESP_ERR__INVALID_ARG, message: "not a topic's name")
        }
        guard let list = rd_kafka_headers_new(headers.count) else { return KafkaError(RD_KAFKA_RESP_ERR__FAIL) }
        for header in headers {
            let error = withPointer(to: header.value) { value, count in
                rd_kafka_header_add(list, header.name, header.name.utf8.count, value, count)
            }
            guard error == RD_KAFKA_RESP_ERR_NO_ERROR else {
                rd_kafka_headers_destroy(list)
                return KafkaError(error)
            }
        }
        let error = topic.withCString { topic in
            withPointer(to: key) { keyBytes, keyCount in
                withPointer(to: value) { valueBytes, valueCount in
                    var fields = [
                        field(RD_KAFKA_VTYPE_TOPIC) { $0.cstr = topic },
                        field(RD_KAFKA_VTYPE_MSGFLAGS) { $0.i = Int32(0x2) },  // RD_KAFKA_MSG_F_COPY
                        field(RD_KAFKA_VTYPE_OPAQUE) { $0.ptr = UnsafeMutableRawPointer(bitPattern: id) },
                        field(RD_KAFKA_VTYPE_HEADERS) { $0.headers = list },
                    ]
                    fields.append(
                        field(RD_KAFKA_VTYPE_KEY) { union in
                            union.mem.ptr = UnsafeMutableRawPointer(mutating: keyBytes)
                            union.mem.size = keyCount
                        })
                    fields.append(
                        field(RD_KAFKA_VTYPE_VALUE) { union in
                            union.mem.ptr = UnsafeMutableRawPointer(mutating: valueBytes)
                            union.mem.size = valueCount
                        })
                    return rd_kafka_produceva(handle, fields, fields.count)
                }
            }
        }
        guard let error else { return nil }
        // librdkafka takes ownership of the headers only on success.
        rd_kafka_headers_destroy(list)
        defer { rd_kafka_error_destroy(error) }
        return KafkaError(rd_kafka_error_code(error), message: rd_kafka_error_string(error).map { String(cString: $0) })
    }

    private func field(
        _ type: rd_kafka_vtype_t, _ fill: (inout rd_kafka_vu_s.__Unnamed_union_u) -> Void
    ) -> rd_kafka_vu_t {
        var field = rd_kafka_vu_t()
        field.vtype = type
        fill(&field.u)
        return field
    }

    /// NULL for `nil`, but an address for an empty array: librdkafka distinguishes the two.
    private func withPointer<T>(to bytes: [UInt8]?, _ body: (UnsafeRawPointer?, Int) -> T) -> T {
        guard let bytes else { return body(nil, 0) }
        guard bytes.isEmpty else { return bytes.withUnsafeBytes { body($0.baseAddress, $0.count) } }
        return withUnsafeBytes(of: UInt8(0)) { body($0.baseAddress, 0) }
    }
}
