import CaptureProtocol
import Delivery
import Logging
import Metrics
import Models

/// Completes captures that waited for the signer, or for room on disk. They are found in PostgreSQL, so a restart forgets none.
struct UnsignedCaptures<Captures: AssemblyRepository>: Sendable {
    static var batchSize: Int { 50 }
    let assembly: CaptureAssembly<Captures>
    let ledger: any TaskLedger
    let logger: Logger

    /// Completes the waiting captures, videos last; stops at the first that shows that the signer is still unavailable, and at the first
    /// video for which there is no room. A capture that fails otherwise does not block the others: `upload-sync` announces it again, and
    /// its handler reports the failure.
    func retry() async throws {
        // Those under way wait for nobody; other instances leave them alone for a while, see ``AssemblyRepository/unsigned(limit:)``.
        let waiting = try await assembly.captures.unsigned(limit: Self.batchSize).filter { !assembly.underWay.contains($0) }
        Meter(label: "rial_captures_unsigned").set(waiting.all.count)
        try await waiting.inTurn(
            ledger, logger, "a capture that waited cannot be completed", isNoted: isDependencyFailure, giveUp: giveUp, attempt: complete)
    }

    /// - Returns: false if the signer is still unavailable.
    private func complete(_ capture: CaptureID) async throws -> Bool {
        guard let gathered = try await assembly.captures.gathered(capture) else { return true }
        do {
            try await assembly.complete(gathered, event: nil, logger) { try await assembly.captures.gathered(capture) }
            return true
        } catch is SignerUnavailable { return false }
    }

    /// Three processes crashed while they completed it. `upload-sync` announces it again a few times, as any that failed by a fault of
    /// ours.
    private func giveUp(_ capture: CaptureID) async throws {
        logger.error("a capture that waited is given up", metadata: ["capture_id": "\(capture)"])
        guard try await assembly.captures.fail(capture, reason: .processDied) else { return }
        CaptureFailures.count(StableWord(.processDied))
    }
}
