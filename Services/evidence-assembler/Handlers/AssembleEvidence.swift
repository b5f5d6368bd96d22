import Blocking
import CaptureProtocol
import Delivery
import Logging
import Models

/// Copies one service's stored part of a capture and assembles the package once all parts are done.
struct AssembleEvidence<Part: PartEvent, Captures: AssemblyRepository>: MessageHandler {
    let assembly: CaptureAssembly<Captures>

    func handle(_ message: Part, _ context: MessageContext) async throws {
        switch try await assembly.captures.take(Part.part, of: message.captureID, answering: context) {
        case .waiting: return
        case .failed(let reason): CaptureFailures.count(reason)
        case .complete(let capture):
            if capture.announcement.content.kind.takesLongToAssemble { context.letOthersPass() }
            do {
                try await assembly.complete(capture, event: context, context.logger)
            } catch let error where error is SignerUnavailable || error is NamelessFile.Failure {
                // Do not block the partition; ``UnsignedCaptures`` completes the capture later.
                try await assembly.captures.park(message.captureID, answering: context)
                context.logger.info("the capture waits for signer or disk", metadata: ["reason": "\(error)"])
            } catch let rejection as RejectedMessage {
                // What is missing may have been erased: the capture may be withdrawn, which settles the event.
                guard case .waiting = try await assembly.captures.take(Part.part, of: message.captureID, answering: context) else {
                    throw rejection
                }
            }
        }
    }

    func giveUp(_ message: Part, reason: FailureReason, on transaction: Captures.Transaction) async throws {
        guard try await assembly.captures.fail(message.captureID, reason: reason, on: transaction) else { return }
        CaptureFailures.count(StableWord(reason))
    }
}
