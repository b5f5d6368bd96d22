import CaptureKit

/// A camera whose process is killed after a while.
struct KilledCamera<Source: FrameSource>: FrameSource {
    struct Killed: Error {}

    let source: Source
    /// Ticks of the recording after which nothing is recorded; `nil` for never.
    let end: Int64?

    func next() async throws -> CameraInput<Source.Picture, Source.Sound>? {
        let input = try await source.next()
        if let end, case .picture(_, let time, _) = input, time >= end { throw Killed() }
        return input
    }
}
