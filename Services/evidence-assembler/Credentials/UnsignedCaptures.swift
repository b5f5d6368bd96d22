import Delivery
import Logging
import Metrics
import Persistence

/// Completes captures that waited for the signer once it is back. They are found by what PostgreSQL says of them, so that a restart
/// forgets none.
struct UnsignedCaptures: Sendable {
    static let batchSize = 50
    /// A turn ends after as many captures that could not be read: then it is not theirs alone.
    static let maximumFailures = 3
    let database: PostgresPool
    let assembly: CaptureAssembly
    let logger: Logger

    /// Goes through those that wait until one shows that the signer is still away. One that fails otherwise does not hold up the others:
    /// `upload-sync` announces it again, and its handler says what is wrong.
    func retry() async throws {
        let waiting = try await database.withConnection { try await CaptureRepository($0).unsigned(limit: Self.batchSize) }
        Meter(label: "rial_captures_unsigned").set(waiting.count)
        var failures = 0
        // In any order: a few that cannot be read do not hold up the others for ever.
        for capture in waiting.shuffled() {
            do {
                let parts = try await database.withConnection { try await EvidencePartRepository($0).all(of: capture) }
                guard let parts = try EvidenceParts(parts) else { continue }
                try await assembly.complete(capture, parts, event: nil, logger)
            } catch is CaptureAssembly.SignerAway {
                return
            } catch let error as CancellationError {
                throw error
            } catch {
                logger.warning("a capture that waited cannot be completed", metadata: ["capture_id": "\(capture)", "error": "\(error)"])
                if isDependencyFailure(error) { failures += 1 }
                guard failures < Self.maximumFailures else { throw error }
            }
        }
    }
}
