import CaptureProtocol
import Messaging
import Models

/// A record of a dead-letter topic: the original with `rial_dlq_…` headers added.
struct DeadLetterRecord {
    static let headerPrefix = "rial_dlq_"
    let record: KafkaRecord

    init(_ record: KafkaRecord) { self.record = record }

    /// Usually the capture id.
    var key: String { record.key.map { String(decoding: $0, as: UTF8.self) } ?? "–" }
    var reason: String { header("reason") ?? "–" }
    var detail: String? { header("detail") }
    var attempts: String { header("attempts") ?? "–" }
    var time: String { header("time") ?? "–" }

    /// What is sent again, and to where. The event id is no part of it: each time it is another one.
    var original: Original {
        Original(topic: header("topic"), key: record.key, value: record.value, omittedBytes: header("omitted_bytes"))
    }

    struct Original: Hashable {
        let topic: String?
        let key: [UInt8]?
        let value: [UInt8]?
        /// How many there were, if they were too many to be kept.
        let omittedBytes: String?
    }

    /// By the broker's time; in one partition by its offset if that is the same.
    func isNewer(than other: DeadLetterRecord) -> Bool {
        (record.timestampMilliseconds ?? 0, record.offset) > (other.record.timestampMilliseconds ?? 0, other.record.offset)
    }

    private var place: String { "\(record.topic)/\(record.partition)/\(record.offset)" }

    private func header(_ name: String) -> String? { record.header(Self.headerPrefix + name) }

    /// The record's original topic.
    /// - Throws: ``CommandFailure`` if no service consumes that topic, or if the record was too large to be kept.
    func originalTopic() throws -> Topic {
        let name = header("topic")
        guard let topic = Topic.consumers.first(where: { $0.topic.rawValue == name && !$0.services.isEmpty })?.topic else {
            throw CommandFailure("The record \(place) does not say where it came from.")
        }
        guard header("omitted_bytes") == nil else {
            throw CommandFailure(
                "The record \(place) of \(key) was too large to be kept; if that is a capture, announce it again with --capture.")
        }
        return topic
    }

    /// The original headers with a new event id, since inboxes skip known ids.
    func headersForRedrive(id: EventID) -> [KafkaHeader] {
        record.headers.filter { $0.name != "ce_id" && !$0.name.hasPrefix(Self.headerPrefix) }
            + [KafkaHeader(name: "ce_id", value: Array(id.description.utf8))]
    }

    /// For scripts.
    var summary: DeadLetterSummary {
        DeadLetterSummary(
            topic: record.topic, partition: record.partition, offset: record.offset, key: key, reason: reason, detail: detail,
            attempts: attempts, time: time)
    }
}

struct DeadLetterSummary: Encodable {
    let topic: String
    let partition: Int32
    let offset: Int64
    let key: String
    let reason: String
    let detail: String?
    let attempts: String
    let time: String
}
