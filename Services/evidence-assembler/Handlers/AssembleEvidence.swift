import Delivery
import Models
import Persistence

/// Told that a service has answered for a capture: takes over what it stored, and assembles the package once the set is whole.
struct AssembleEvidence<Part: PartEvent>: MessageHandler {
    let assembly: CaptureAssembly

    func handle(_ message: Part, _ context: MessageContext) async throws {
        switch try await assembly.take(Part.part, of: message.captureID, context) {
        case .answered: return
        case .complete(let parts):
            do {
                try await assembly.complete(message.captureID, parts, event: context, context.logger)
            } catch is CaptureAssembly.SignerAway {
                try await assembly.park(message.captureID, context)
            }
        }
    }

    func giveUp(_ message: Part, reason: FailureReason, on connection: PostgresConnection) async throws {
        try await assembly.fail(message.captureID, reason: reason, on: connection)
    }
}
