import CaptureProtocol
public import Messaging
import Models
import Persistence

/// An unpublished record.
public struct OutboxRow: Sendable {
    /// Ascending in the order of insertion.
    public let id: Int64
    public let topic: String
    public let key: String
    public let value: [UInt8]?
    public let headers: [KafkaHeader]

    public init(id: Int64, topic: String, key: String, value: [UInt8]?, headers: [KafkaHeader]) {
        self.id = id
        self.topic = topic
        self.key = key
        self.value = value
        self.headers = headers
    }
}

/// The topics whose rows a relay asks for.
public enum OutboxTopics: Sendable, Equatable {
    case all(but: Set<String>)
    case only(String)
}

/// The unpublished records, shared by all instances of a service.
public protocol OutboxRows: Sendable {
    /// Calls `publish` with the oldest rows of the topics that no other instance has locked, and deletes those that it reports as done.
    ///
    /// If `publish` or the deletion fails, all rows stay, so a record may be published twice.
    /// - Returns: what `publish` returned.
    func withBatch<Result: Sendable>(
        limit: Int, of topics: OutboxTopics, _ publish: @escaping @Sendable ([OutboxRow]) async throws -> (done: [Int64], result: Result)
    ) async throws -> Result

    /// Whether there are rows of the topic, whoever has locked them and whether or not they may be published now.
    func hasAny(of topic: String) async throws -> Bool

    /// An element each time rows may have been written, until the iterating task is cancelled.
    func notifications() -> AsyncStream<String>
}

/// The rows of a service's outbox table.
struct PostgresOutboxRows: OutboxRows {
    let service: ServiceName
    let database: PostgresPool
    let listener: PostgresListener

    func withBatch<Result: Sendable>(
        limit: Int, of topics: OutboxTopics, _ publish: @escaping @Sendable ([OutboxRow]) async throws -> (done: [Int64], result: Result)
    ) async throws -> Result {
        try await database.withTransaction { connection in
            let rows = try await connection.query(
                """
                SELECT id, topic, record_key, headers, value FROM \(unescaped: service.outboxTable)
                WHERE \(PostgresPublishingGate.isOpen) AND \(topics.condition) ORDER BY id LIMIT \(limit) FOR UPDATE SKIP LOCKED
                """
            ).map { try OutboxRow($0) }
            let (done, result) = try await publish(rows)
            if !done.isEmpty {
                try await connection.query("DELETE FROM \(unescaped: service.outboxTable) WHERE id = ANY(\(done))")
            }
            return result
        }
    }

    func hasAny(of topic: String) async throws -> Bool {
        let rows = try await database.query(
            "SELECT EXISTS (SELECT FROM \(unescaped: service.outboxTable) WHERE topic = \(topic)) AS has_any")
        return try rows.first?.get("has_any") ?? false
    }

    func notifications() -> AsyncStream<String> { listener.notifications() }
}

extension OutboxTopics {
    fileprivate var condition: SQL {
        switch self {
        // The usual case, whose plan should not allow for others.
        case .all(but: let others) where others.isEmpty: "true"
        case .all(but: let others): "topic <> ALL(\(others.sorted()))"
        case .only(let topic): "topic = \(topic)"
        }
    }
}

extension OutboxRow {
    fileprivate init(_ row: Row) throws {
        let headers = try row.get("headers", as: PostgresJSON.self).decode([StoredHeader].self)
        self.init(
            id: try row.get("id"), topic: try row.get("topic"), key: try row.get("record_key"),
            value: try row.getOptional("value", as: [UInt8].self),
            headers: headers.map { KafkaHeader(name: $0.name, value: $0.value?.bytes) })
    }
}
