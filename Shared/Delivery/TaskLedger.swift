public import Foundation
public import Models
import Observability
public import Persistence

/// The work that a periodic task is doing: work that it finds in the database instead of receiving it, such as captures that wait for the
/// signer. As with records, work that crashes three processes is given up; and only one instance at a time does the same work.
public protocol TaskLedger: Sendable {
    /// Marks the work as in hand until it is settled or released.
    func take(_ work: UUID) async throws -> TakenTask

    /// The work is done, or given up.
    func settle(_ work: UUID) async throws

    /// The work is not done; this does not count as a crash.
    func release(_ work: UUID) async throws
}

/// The answer of a ledger to whether work may be done now.
public enum TakenTask: Sendable, Equatable {
    case taken
    /// Another instance has it in hand, or had it when it crashed a moment ago.
    case elsewhere
    /// Three processes crashed over it: it must be given up.
    case fatal
}

extension TaskLedger {
    /// Does the work if it may be done now. If it cannot be done, it is released, and the error is thrown.
    /// - Parameter giveUp: called instead if three processes crashed over it.
    /// - Throws: what the ledger, `giveUp` or `body` throws.
    public func run(_ work: UUID, giveUp: () async throws -> Void, _ body: () async throws -> Void) async throws {
        let taken = try await take(work)
        guard taken != .elsewhere else { return }
        do {
            if taken == .fatal { try await giveUp() } else { try await body() }
        } catch {
            // Also where this task is cancelled; an unresponsive database must not delay it.
            _ = await Task { await withTimeout(.seconds(2)) { try? await release(work) } }.value
            throw error
        }
        try await settle(work)
    }
}

/// The ledger in a service's own table.
public struct PostgresTaskLedger: TaskLedger {
    /// How long work belongs to the instance that took it, also if that one crashed. Work that takes longer may be done by two instances at
    /// once; work that takes longer on three instances in turn is given up by the next one, as after three crashes.
    private static let seconds = 300
    private let service: ServiceName
    private let task: String
    private let database: PostgresPool

    /// - Parameter task: its name, different from those of topics.
    public init(_ service: ServiceName, task: String, database: PostgresPool) {
        self.service = service
        self.task = task
        self.database = database
    }

    public func take(_ work: UUID) async throws -> TakenTask {
        let rows = try await database.query(
            """
            INSERT INTO \(unescaped: service.inHandTable) AS held (consumer, event_id) VALUES (\(task), \(work))
            ON CONFLICT (consumer, event_id) DO UPDATE SET tries = held.tries + 1, noted_at = now()
                WHERE held.tries = 0
                    -- Ahead by more than a little: the clock was set back since.
                    OR held.noted_at NOT BETWEEN now() - make_interval(secs => \(Self.seconds)) AND now() + interval '1 minute'
                RETURNING tries
            """)
        guard let row = rows.first else { return .elsewhere }
        return try row.get("tries", as: Int.self) > InHand.maximumDeaths ? .fatal : .taken
    }

    public func settle(_ work: UUID) async throws {
        try await database.withConnection { try await InHand(service: service).settle(work, consumer: task, on: $0) }
    }

    public func release(_ work: UUID) async throws {
        try await InHand(service: service).release(work, consumer: task, database)
    }
}
