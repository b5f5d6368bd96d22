/// One record of a topic, copied out of librdkafka. Key and value may be absent; a record without a value is a tombstone.
public struct KafkaRecord: Sendable {
    public let topic: String
    public let partition: Int32
    public let offset: Int64
    public let key: [UInt8]?
    public let value: [UInt8]?
    /// In the order in which they were written; a name may appear more than once.
    public let headers: [KafkaHeader]
    /// Milliseconds since 1970; `nil` if the broker gave none.
    public let timestampMilliseconds: Int64?
    /// The number of the consumer's client that read it; its offset must not be stored by a later client.
    var generation: UInt64 = 0

    public init(
        topic: String, partition: Int32, offset: Int64, key: [UInt8]?, value: [UInt8]?, headers: [KafkaHeader],
        timestampMilliseconds: Int64?
    ) {
        self.topic = topic
        self.partition = partition
        self.offset = offset
        self.key = key
        self.value = value
        self.headers = headers
        self.timestampMilliseconds = timestampMilliseconds
    }

    /// The last header with the name, as text; `nil` if there is none or it has no value.
    public func header(_ name: String) -> String? { headers.text(of: name) }
}

/// A header of a record; its value may be absent.
public struct KafkaHeader: Sendable, Equatable {
    public let name: String
    public let value: [UInt8]?

    public init(name: String, value: [UInt8]?) {
        self.name = name
        self.value = value
    }

    /// The size of name and value, without the framing on the wire.
    public var sizeBytes: Int { name.utf8.count + (value?.count ?? 0) }
}

extension [KafkaHeader] {
    /// The last header with the name, as text; `nil` if there is none or it has no value.
    public func text(of name: String) -> String? { last { $0.name == name }?.value.map { String(decoding: $0, as: UTF8.self) } }
}
