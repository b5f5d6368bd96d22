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
    public nonisolated(nonsending) func append<E: Event>(
        _ event: E, id: EventID = EventID(), on connection: PostgresConnection, at time: Date = Date()
    ) async throws {
        let (parent, start) = (TraceContext.current, SpanTime.now)
        let trace = parent?.child() ?? TraceContext()
        let headers = CloudEventHeaders.make(
            id: id, type: E.topic.rawValue, source: service.rawValue, subject: event.partitionKey, time: time, trace: trace)
        try await append(topic: E.topic, key: event.partitionKey, headers: headers, value: WireJSON.encode(event), on: connection)
        RecordSpan.create.record(
            topic: E.topic.rawValue, key: event.partitionKey, eventID: id.description, trace, parent: parent, since: start)
    }

    /// Appends a record unchanged, such as a dead letter.
    nonisolated(nonsending) func append(
        topic: Topic, key: String, headers: [KafkaHeader], value: [UInt8]?, on connection: PostgresConnection
    ) async throws {
        let stored = headers.map { StoredHeader(name: $0.name, value: $0.value.map(Base64Bytes.init)) }
        try await connection.query(
            """
            INSERT INTO \(unescaped: service.outboxTable) (topic, record_key, headers, value)
            VALUES (\(topic.rawValue), \(key), \(PostgresJSON(encoding: stored)), \(value))
            """)
    }
}

/// A header as stored in the outbox; values may be any bytes.
struct StoredHeader: Codable {
    let name: String
    let value: Base64Bytes?
}
