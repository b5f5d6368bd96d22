import Models
import Persistence
import Pipeline

/// Takes one part of a capture's evidence; the one that completes the set assembles the package.
struct AssembleEvidence<Part: PartEvent>: MessageHandler {
    let assembly: CaptureAssembly

    func handle(_ message: Part, _ context: MessageContext) async throws {
        let received = try ReceivedPart(message)
        switch try await assembly.take(received, context) {
        case .answered: return
        case .complete(let parts): try await assembly.complete(message.captureID, parts, context)
        }
    }

    func giveUp(_ message: Part, reason: String, on connection: PostgresConnection) async throws {
        try await assembly.fail(message.captureID, reason: reason, on: connection)
    }
}

/// A part as it is kept, whatever its findings.
struct ReceivedPart: Sendable {
    let captureID: CaptureID
    let part: EvidencePart
    let outcome: PartOutcome
    let reason: String?
    let result: PostgresJSON?

    init(_ event: some PartEvent) throws {
        switch (event.outcome, event.result, event.reason) {
        case (.done, let result?, _):
            self.result = try PostgresJSON(encoding: result)
            reason = nil
        case (.error, _, let reason):
            result = nil
            self.reason = reason ?? "unknown"
        case (.done, nil, _):
            throw RejectedMessage(reason: "part_without_result")
        }
        captureID = event.captureID
        part = type(of: event).part
        outcome = event.outcome
    }
}
