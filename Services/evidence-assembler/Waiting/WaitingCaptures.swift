import CaptureProtocol
import Delivery
import Logging

/// The captures that have waited longest, of videos and of the others apart: however many videos wait, the others do not wait behind them
/// (SPEC §10.8).
struct WaitingCaptures: Sendable {
    let others: [CaptureID]
    /// Those that take room on disk, see ``CaptureKind/takesLongToAssemble``.
    let videos: [CaptureID]

    var all: [CaptureID] { others + videos }

    func filter(_ isKept: (CaptureID) -> Bool) -> WaitingCaptures {
        WaitingCaptures(others: others.filter(isKept), videos: videos.filter(isKept))
    }

    /// Tries the others and then the videos: whether the signer is back is found out without reading one. Each are shuffled, so that a few
    /// unreadable captures do not block the others forever; failures of the others, however many, keep no video waiting. The first video
    /// for which there is no room ends the run.
    /// - Parameters:
    ///   - message: logged with each failure.
    ///   - isNoted: whether an error counts towards the ``FailureLimit``; one of the disk never does.
    ///   - giveUp: called instead of `attempt` if three processes crashed over a capture.
    ///   - attempt: returns false if the run is over.
    /// - Throws: the failure that ends the others, after the videos were tried, or the one that ends the videos.
    func inTurn(
        _ ledger: any TaskLedger, _ logger: Logger, _ message: Logger.Message, isNoted: (any Error) -> Bool,
        giveUp: (CaptureID) async throws -> Void, attempt: (CaptureID) async throws -> Bool
    ) async throws {
        try await othersFirst { captures, areVideos in
            var limit = FailureLimit()
            for capture in captures {
                guard !Task.isEnding else { return false }
                do {
                    var isOver = false
                    try await ledger.run(capture.uuid, giveUp: { try await giveUp(capture) }) {
                        isOver = try await !attempt(capture)
                    }
                    if isOver { return false }
                    limit.succeed()
                } catch let error as CancellationError {
                    throw error
                } catch {
                    logger.warning(message, metadata: ["capture_id": "\(capture)", "error": "\(error)"])
                    if isScratchFailure(error) {
                        // Each of the videos that are left would be read from the store before it finds no room.
                        if areVideos { return false }
                    } else if isNoted(error) {
                        try limit.note(error)
                    }
                }
            }
            return true
        }
    }

    private func othersFirst(_ run: (_ captures: [CaptureID], _ areVideos: Bool) async throws -> Bool) async throws {
        var failure: (any Error)?
        do {
            guard try await run(others.shuffled(), false) else { return }
        } catch let error as CancellationError {
            throw error
        } catch {
            failure = error
        }
        _ = try await run(videos.shuffled(), true)
        if let failure { throw failure }
    }
}
