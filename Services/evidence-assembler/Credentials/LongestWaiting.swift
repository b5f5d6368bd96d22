import CaptureProtocol

/// The captures that have waited longest, of videos and of the others apart: however many videos wait, the others do not wait behind them
/// (SPEC §10.8).
struct LongestWaiting: Sendable {
    let others: [CaptureID]
    /// Those that take room on disk, see ``CaptureKind/takesLongToAssemble``.
    let videos: [CaptureID]

    var all: [CaptureID] { others + videos }

    func filter(_ isKept: (CaptureID) -> Bool) -> LongestWaiting {
        LongestWaiting(others: others.filter(isKept), videos: videos.filter(isKept))
    }

    /// Tries the others and then the videos: whether the signer is back is found out without reading one. Each are shuffled, so that a few
    /// unreadable captures do not block the others forever; failures of the others, however many, keep no video waiting and are thrown
    /// at the end.
    /// - Parameter attempt: tries the captures; returns false if the run is over.
    func inTurn(_ attempt: (_ captures: [CaptureID], _ areVideos: Bool) async throws -> Bool) async throws {
        var failure: (any Error)?
        do {
            guard try await attempt(others.shuffled(), false) else { return }
        } catch let error as CancellationError {
            throw error
        } catch {
            failure = error
        }
        _ = try await attempt(videos.shuffled(), true)
        if let failure { throw failure }
    }
}
