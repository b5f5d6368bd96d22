import Delivery
import Logging
import Metrics

/// Completes captures that waited for the signer once it is back. They are found by what PostgreSQL says of them, so that a restart
/// forgets none.
struct UnsignedCaptures<Captures: AssemblyRepository>: Sendable {
    let assembly: CaptureAssembly<Captures>
    let logger: Logger

    /// Goes through those that wait until one shows that the signer is still away. One that fails otherwise does not hold up the others:
    /// `upload-sync` announces it again, and its handler says what is wrong.
    func retry() async throws {
        let waiting = try await assembly.captures.unsigned(limit: 50)
        Meter(label: "rial_captures_unsigned").set(waiting.count)
        var limit = FailureLimit()
        // In any order: a few that cannot be read do not hold up the others for ever.
        for capture in waiting.shuffled() {
            do {
                guard let gathered = try await assembly.captures.gathered(capture) else { continue }
                try await assembly.complete(gathered, event: nil, logger)
            } catch is SignerAway {
                return
            } catch let error as CancellationError {
                throw error
            } catch {
                logger.warning("a capture that waited cannot be completed", metadata: ["capture_id": "\(capture)", "error": "\(error)"])
                if isDependencyFailure(error) { try limit.note(error) }
            }
        }
    }
}
