/// Chooses the pictures of a camera that become a video, at most about 30 per second, and gives them times in ticks of
/// ``VideoTime/timescale``.
///
/// From a camera with 60 pictures per second it takes every second one. Times are those of the pictures, not those of a plan: a picture
/// that the camera left out leaves a gap.
public struct PictureClock: Sendable {
    /// Half a picture less than 1/30 s, so that a picture that comes a little early is taken.
    private static let shortestStep: Int64 = 15
    private var first: Double?
    private var last: Int64?

    public init() {}

    /// - Parameter seconds: of the picture, on the camera's clock.
    /// - Returns: ticks since the first picture, ascending; `nil` if the picture is left out.
    public mutating func ticks(at seconds: Double) -> Int64? {
        let since = ((seconds - (first ?? seconds)) * Double(VideoTime.timescale)).rounded()
        guard let ticks = Int64(exactly: since), ticks >= 0, last.map({ ticks - $0 >= Self.shortestStep }) ?? true else { return nil }
        first = first ?? seconds
        last = ticks
        return ticks
    }
}
