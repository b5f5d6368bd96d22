public import CaptureProtocol
import Models
import Persistence

/// What a service keeps of the records of one topic outside of its processes: those it has in hand, and those it gave up.
public protocol RecordLedger<Transaction>: Sendable {
    /// In which a dead letter is stored together with what is announced of it.
    associatedtype Transaction: Sendable

    /// Notes that the record is in hand, until its effect or its dead letter is durable.
    /// - Returns: how many processes have died over it.
    func take(_ event: EventID) async throws -> Int

    /// The record is laid down by an orderly end of the process, or while others may be given it: that is no death.
    func release(_ event: EventID) async throws

    /// Stores the dead letter, after which the record is no longer in hand, and what `announce` writes; all or nothing.
    /// - Parameter event: `nil` for a record that says no id.
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

    func release(_ event: EventID) async throws { try await InHand(service: service).release(event, consumer: topic, database) }

    func store(
        _ letter: DeadLetter, of event: EventID?, announce: @escaping @Sendable (PostgresConnection) async throws -> Void
    ) async throws {
        try await database.withTransaction { connection in
            try await letter.append(to: Outbox(service), on: connection)
            if let event { try await InHand(service: service).settle(event, consumer: topic, on: connection) }
            try await announce(connection)
        }
    }
}
