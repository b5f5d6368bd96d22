import CaptureProtocol
import Delivery
import Models
import Persistence

/// Adds a capture's statements to those that wait to be entered in the log. They are read from PostgreSQL: a forged record enters nothing.
struct LogStatements: MessageHandler {
    let pending: any PendingRepository

    func handle(_ message: EvidenceAssembled, _ context: MessageContext) async throws {
        try await pending.add(message.captureID, answering: context)
    }

    /// Nothing to do: ``PendingRepository/lookThrough()`` finds the statements.
    func giveUp(_ message: EvidenceAssembled, reason: FailureReason, on connection: PostgresConnection) async throws {}
}
