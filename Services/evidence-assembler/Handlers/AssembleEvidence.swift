import CaptureProtocol
import Delivery
import Logging
import Models

/// Copies one service's stored part of a capture and assembles the package once all parts are done.
struct AssembleEvidence<Part: PartEvent, Captures: AssemblyRepository>: MessageHandler {
    let assembly: CaptureAssembly<Captures>

    func handle(_ message: Part, _ context: MessageContext) async throws {
        guard let capture = try await take(message, context) else { return }
        if capture.announcement.content.kind.takesLongToAssemble { context.letOthersPass() }
        do {
            try await assembly.complete(capture, event: context, context.logger) { try await take(message, context) }
        } catch let error where error is SignerUnavailable || isScratchFailure(error) {
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

    /// - Returns: the capture if it has to be assembled now; `nil` if the event is settled.
    private func take(_ message: Part, _ context: MessageContext) async throws -> GatheredCapture? {
        switch try await assembly.captures.take(Part.part, of: message.captureID, answering: context) {
        case .waiting: return nil
        case .failed(let reason):
            CaptureFailures.count(reason)
            return nil
        case .complete(let capture): return capture
        }
    }

    func giveUp(_ message: Part, reason: FailureReason, on transaction: Captures.Transaction) async throws {
        guard try await assembly.captures.fail(message.captureID, reason: reason, on: transaction) else { return }
        CaptureFailures.count(StableWord(reason))
    }
}
