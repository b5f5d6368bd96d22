import CaptureProtocol
import Delivery
import Models
import Persistence

/// Deletes the objects of a capture when it is withdrawn; ``WithdrawnObjects`` searches for them again later, with or without this event.
struct EraseWithdrawn: MessageHandler {
    let objects: WithdrawnObjects

    /// - Throws: ``RejectedMessage`` unless PostgreSQL says that the capture is withdrawn: a forged record deletes nothing.
    func handle(_ message: CaptureWithdrawn, _ context: MessageContext) async throws {
        guard try await objects.rows.isWithdrawn(message.captureID) else { throw RejectedMessage(.captureUnknown) }
        try await objects.erase(message.captureID, answering: context)
    }

    /// Nothing to do: by its row in `withdrawals` the capture stays due.
    func giveUp(_ message: CaptureWithdrawn, reason: FailureReason, on connection: PostgresConnection) async throws {}
}
