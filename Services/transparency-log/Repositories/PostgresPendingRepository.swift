import CaptureProtocol
import Delivery
import Persistence

/// Reads the statements that `evidence-assembler` writes, and keeps the list of those that wait.
struct PostgresPendingRepository: PendingRepository {
    let database: PostgresPool
    let inbox: Inbox

    func add(_ capture: CaptureID, answering context: MessageContext) async throws {
        try await database.withTransaction { connection in
            guard try await inbox.accept(context.eventID, consumer: context.topic, on: connection) else { return }
            // The statement of a withdrawal has no capture's id, so all are added that have no index yet; there are few.
            _ = try await connection.affected(
                Self.insertion("(capture_id = \(capture.uuid) OR kind = 'withdrawal' AND capture_id IS NULL)"))
        }
    }

    func lookThrough() async throws -> Int {
        try await database.withTransaction { connection in
            // The time of a statement that is withheld is a future midnight.
            try await connection.affected(
                Self.insertion("(time < extract(epoch FROM now() - interval '1 minute') OR not_before IS NOT NULL)"))
        }
    }

    /// Two such statements at once, or one during a round of the sequencer, may add a statement again that has just got its entry; the
    /// sequencer then drops it.
    private static func insertion(_ which: SQL) -> SQL {
        """
        INSERT INTO log_pending (commitment, subject, kind, time, not_before)
        SELECT commitment, subject, kind, time, not_before FROM statements WHERE leaf_index IS NULL AND \(which)
            AND NOT EXISTS (SELECT FROM log_entries WHERE log_entries.commitment = statements.commitment)
        ORDER BY time, capture_id, sequence LIMIT 10000
        ON CONFLICT (commitment) DO NOTHING
        """
    }
}
