public import CaptureProtocol
public import Foundation
import Messaging
public import Models
import Observability
public import Persistence

/// The events of a service, written in the same transaction as the state they announce; ``OutboxRelay`` publishes them.
public struct Outbox: Sendable {
    let service: ServiceName

    public init(_ service: ServiceName) { self.service = service }

    /// Appends an event in the current transaction of `connection`, with the trace context of the current task.
    /// - Throws: `PostgresError`, or `EncodingError` for an event with a number that is not finite.
    public nonisolated(nonsending) func append<E: Event>(
        _ event: E, id: EventID = EventID(), on connection: PostgresConnection, at time: Date = Date()
    ) async throws {
        let start = SpanTime.now
        let record = try record(of: event, id: id, at: time)
        try await append(
            topic: record.topic, key: record.key, headers: record.headers, value: record.value, on: connection)
        record.end(since: start)
    }

    /// Appends events, as ``append(_:id:on:at:)`` does each, with one statement and in their order.
    /// - Throws: as ``append(_:id:on:at:)``; then no event is appended.
    public nonisolated(nonsending) func append(
        _ events: [any Event], on connection: PostgresConnection, at time: Date = Date()
    ) async throws {
        guard !events.isEmpty else { return }
        let start = SpanTime.now
        let records = try events.map { try record(of: $0, id: EventID(), at: time) }
        let headers = try records.map { String(decoding: try PostgresJSON(encoding: Self.stored($0.headers)).bytes, as: UTF8.self) }
        try await connection.query(
            """
            INSERT INTO \(unescaped: service.outboxTable) (topic, record_key, headers, value)
            SELECT topic, record_key, headers::jsonb, value
            FROM unnest(\(records.map { $0.topic.rawValue }), \(records.map { $0.key }), \(headers), \(records.map { $0.value }))
                WITH ORDINALITY AS event (topic, record_key, headers, value, number)
            ORDER BY number
            """)
        for record in records { record.end(since: start) }
    }

    /// Those of the topics whose oldest event here has not been published for longer than an age.
    /// - Throws: `PostgresError`.
    public nonisolated(nonsending) func stalled(
        of topics: Set<Topic>, longerThan age: Duration, on connection: PostgresConnection
    ) async throws -> Set<Topic> {
        let seconds: Double = age / .seconds(1)
        // By primary key, up to the first row of each topic; of one that has none, the whole outbox is read.
        let rows = try await connection.query(
            """
            SELECT asked.topic FROM unnest(\(topics.map(\.rawValue).sorted())) AS asked (topic)
            CROSS JOIN LATERAL (SELECT created_at FROM \(unescaped: service.outboxTable) AS waiting
                WHERE waiting.topic = asked.topic ORDER BY id LIMIT 1) AS oldest
            WHERE oldest.created_at < now() - make_interval(secs => \(seconds))
            """)
        return Set(try rows.map { Topic(rawValue: try $0.get("topic")) })
    }

    /// An event as it is stored and published.
    private struct Record {
        let id: EventID
        let topic: Topic
        let key: String
        let headers: [KafkaHeader]
        let value: [UInt8]
        let trace: TraceContext
        let parent: TraceContext?

        func end(since start: SpanTime) {
            RecordSpan.create.record(topic: topic.rawValue, key: key, eventID: id.description, trace, parent: parent, since: start)
        }
    }

    private func record<E: Event>(of event: E, id: EventID, at time: Date) throws -> Record {
        let parent = TraceContext.current
        let trace = parent?.child() ?? TraceContext()
        return Record(
            id: id, topic: E.topic, key: event.partitionKey,
            headers: CloudEventHeaders.make(
                id: id, type: E.topic.rawValue, source: service.rawValue, subject: event.partitionKey, time: time, trace: trace),
            value: try WireJSON.encode(event), trace: trace, parent: parent)
    }

    private static func stored(_ headers: [KafkaHeader]) -> [StoredHeader] {
        headers.map { StoredHeader(name: $0.name, value: $0.value.map(Base64Bytes.init)) }
    }

    /// Appends a record unchanged, such as a dead letter.
    nonisolated(nonsending) func append(
        topic: Topic, key: String, headers: [KafkaHeader], value: [UInt8]?, on connection: PostgresConnection
    ) async throws {
        try await connection.query(
            """
            INSERT INTO \(unescaped: service.outboxTable) (topic, record_key, headers, value)
            VALUES (\(topic.rawValue), \(key), \(PostgresJSON(encoding: Self.stored(headers))), \(value))
            """)
    }
}

/// A header as stored in the outbox; values may be any bytes.
struct StoredHeader: Codable {
    let name: String
    let value: Base64Bytes?
}
