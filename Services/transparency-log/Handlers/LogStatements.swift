import CaptureProtocol
import Delivery
import Logging
import Models
import Persistence

/// Adds a capture's statements to those that wait to be entered in the log. They are read from PostgreSQL: a forged record enters nothing.
struct LogStatements: MessageHandler {
    let pending: any PendingRepository
    let logger: Logger

    func handle(_ message: EvidenceAssembled, _ context: MessageContext) async throws {
        try await pending.add(message.captureID, answering: context)
    }

    /// Called once a minute: adds those whose event was lost.
    func lookThrough() async throws {
        let found = try await pending.lookThrough()
        if found > 0 { logger.notice("statements that no event announced wait for the log", metadata: ["count": "\(found)"]) }
    }

    /// Nothing to do: ``lookThrough()`` finds the statements.
    func giveUp(_ message: EvidenceAssembled, reason: FailureReason, on connection: PostgresConnection) async throws {}
}
