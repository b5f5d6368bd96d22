import CaptureProtocol
import Delivery
import Models
import Persistence

/// Notes where the statements about a capture stand in the public log; ``LoggedStatements`` does the same without this event.
struct NoteLogged: MessageHandler {
    let statements: any StatementRepository

    func handle(_ message: EvidenceLogged, _ context: MessageContext) async throws {
        try await statements.noteLogged(message.captureID, answering: context)
    }

    /// The statements stay due by their rows.
    func giveUp(_ message: EvidenceLogged, reason: FailureReason, on connection: PostgresConnection) async throws {}
}
