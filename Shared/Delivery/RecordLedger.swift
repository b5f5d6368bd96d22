public import CaptureProtocol
import Models
import Persistence

/// The persistent state of one topic's records: those in hand, and dead letters.
public protocol RecordLedger<Transaction>: Sendable {
    /// The transaction that stores a dead letter and its announcement.
    associatedtype Transaction: Sendable

    /// Marks the record as in hand until its effect or its dead letter is durable.
    /// - Returns: how many processes have crashed while handling it.
    func take(_ event: EventID) async throws -> Int

    /// Marks the record as no longer in hand, at an orderly shutdown or during backoff, so that this does not count as a crash.
    func release(_ event: EventID) async throws

    /// Stores the dead letter, ends that the record is in hand, and runs `announce`, in one transaction.
    /// - Parameter event: `nil` for a record without an event id.
    func store(
        _ letter: DeadLetter, of event: EventID?, announce: @escaping @Sendable (Transaction) async throws -> Void
    ) async throws
}

/// The ledger in a service's own tables.
struct PostgresRecordLedger: RecordLedger {
    let service: ServiceName
    let topic: Topic
    let database: PostgresPool

    func take(_ event: EventID) async throws -> Int { try await InHand(service: service).take(event, consumer: topic, database) }

    func release(_ event: EventID) async throws {
        try await InHand(service: service).release(event.uuid, consumer: topic.rawValue, database)
    }

    func store(
        _ letter: DeadLetter, of event: EventID?, announce: @escaping @Sendable (PostgresConnection) async throws -> Void
    ) async throws {
        try await database.withTransaction { connection in
            try await letter.append(to: Outbox(service), on: connection)
            if let event { try await InHand(service: service).settle(event.uuid, consumer: topic.rawValue, on: connection) }
            try await announce(connection)
        }
    }
}
