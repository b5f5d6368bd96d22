import CaptureProtocol
import Delivery
import Persistence

/// The statements of `evidence-assembler`, and those that wait.
struct PostgresPendingRepository: PendingRepository {
    let database: PostgresPool
    let inbox: Inbox

    func add(_ capture: CaptureID, answering context: MessageContext) async throws {
        try await database.withTransaction { connection in
            guard try await inbox.accept(context.eventID, consumer: context.topic, on: connection) else { return }
            // Of a withdrawal no row says whose it is; there are few that have no index yet.
            _ = try await connection.affected(
                Self.insertion("(capture_id = \(capture.uuid) OR kind = 'withdrawal' AND capture_id IS NULL)"))
        }
    }

    func lookThrough() async throws -> Int {
        try await database.withTransaction { connection in
            // A time that is kept back is a midnight to come.
            try await connection.affected(
                Self.insertion("(time < extract(epoch FROM now() - interval '1 minute') OR not_before IS NOT NULL)"))
        }
    }

    /// Two of them at once, or one beside the sequencer, may let a statement wait again that has just got its entry: the sequencer looks
    /// again.
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
