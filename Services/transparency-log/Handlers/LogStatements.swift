import Delivery
import Models
import Persistence

/// Lets the statements of a capture wait for their leaves. What they are, PostgreSQL says: a forged record enters nothing.
struct LogStatements: MessageHandler {
    let pending: any PendingRepository

    func handle(_ message: EvidenceAssembled, _ context: MessageContext) async throws {
        try await pending.add(message.captureID, answering: context)
    }

    /// The statements are found by the look-through.
    func giveUp(_ message: EvidenceAssembled, reason: FailureReason, on connection: PostgresConnection) async throws {}
}
