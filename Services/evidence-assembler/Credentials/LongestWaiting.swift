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

    /// In the order in which they are tried. Shuffled, so that a few unreadable captures do not block the others forever; videos last, so
    /// that whether the signer is back is found out without reading one.
    func inTurn() -> [(capture: CaptureID, isVideo: Bool)] {
        others.shuffled().map { (capture: $0, isVideo: false) } + videos.shuffled().map { (capture: $0, isVideo: true) }
    }
}
