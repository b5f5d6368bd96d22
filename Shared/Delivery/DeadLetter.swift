import CaptureProtocol
import Foundation
public import Messaging
public import Models
import Persistence

/// A dead letter: the record with its original key, value and headers, and with the reason in added headers.
///
/// If the record would exceed the broker's limit with these headers, its value and headers are omitted, so that it cannot block the outbox
/// forever.
public struct DeadLetter: Sendable {
    /// Our own records have a few hundred bytes; brokers accept one million.
    static let maximumBytes = 800_000
    private static let frameBytes = 20
    public let record: KafkaRecord
    public let rejection: RejectedMessage
    public let service: ServiceName
    /// How often the handler was called.
    public let attempts: Int

    init(record: KafkaRecord, rejection: RejectedMessage, service: ServiceName, attempts: Int) {
        self.record = record
        self.rejection = rejection
        self.service = service
        self.attempts = attempts
    }

    /// The original headers, unless omitted, and the `rial_dlq_…` headers.
    var headers: [KafkaHeader] {
        var added = [
            ("rial_dlq_reason", rejection.reason.rawValue),
            ("rial_dlq_detail", String(decoding: rejection.detail.utf8.prefix(1000), as: UTF8.self)),
            ("rial_dlq_topic", record.topic), ("rial_dlq_partition", String(record.partition)),
            ("rial_dlq_offset", String(record.offset)), ("rial_dlq_attempts", String(attempts)),
            ("rial_dlq_time", Timestamp.format(Date())),
        ]
        if !isWhole { added.append(("rial_dlq_omitted_bytes", String(sizeBytes))) }
        let original = isWhole ? record.headers.filter { !$0.name.hasPrefix("rial_dlq_") } : []
        return original + added.map { KafkaHeader(name: $0.0, value: Array($0.1.utf8)) }
    }

    /// An upper bound of the size on the wire: each header is framed by two lengths.
    private var sizeBytes: Int {
        record.headers.reduce((record.key?.count ?? 0) + (record.value?.count ?? 0)) {
            $0 + $1.sizeBytes + Self.frameBytes
        }
    }

    private var isWhole: Bool { sizeBytes <= Self.maximumBytes }

    nonisolated(nonsending) func append(to outbox: Outbox, on connection: PostgresConnection) async throws {
        let topic = Topic(rawValue: record.topic).deadLetters(of: service)
        // The key may be any bytes, but PostgreSQL text cannot contain NUL.
        let key = record.key.map { String(decoding: $0.prefix(1000), as: UTF8.self).replacing("\0", with: "") } ?? ""
        try await outbox.append(topic: topic, key: key, headers: headers, value: isWhole ? record.value : [], on: connection)
    }
}
