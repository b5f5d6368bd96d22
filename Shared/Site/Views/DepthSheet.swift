import CaptureProtocol
import Foundation
import Models

/// The picture with the depth of all keyframes of a video, ten in a row, and what was found in each of them.
struct DepthSheet: Sendable {
    let link: String
    /// Pixels of a tile.
    let tile: PixelSize
    let columns: Int
    /// Whether depth covers only the middle of the frame.
    let isMiddle: Bool
    private let frames: String

    /// - Returns: `nil` if there are no keyframes, or the picture does not have a tile for each of them.
    init?(_ temporal: VideoDepthMeasurements?, _ media: PublishedMedia?) {
        guard let temporal, let media, let size = media.size,
            let (tile, columns) = DepthTiles.grid(of: temporal.frameAnalyses.count, in: size)
        else { return nil }
        self.tile = tile
        self.columns = columns
        link = media.link
        isMiddle = temporal.framing == .middle
        let suspicious = Set(temporal.suspiciousFrames)
        frames = temporal.frameAnalyses.map { Self.text($0, isSuspicious: suspicious.contains($0.frame)) }.joined(separator: " ")
    }

    /// A keyframe as `film.js` reads it: its time in milliseconds, r, f or u for its verdict, its relief in percent, and ! if it is
    /// doubtful.
    private static func text(_ frame: VideoFrameAnalysis, isSuspicious: Bool) -> String {
        let verdict =
            switch frame.verdict {
            case .real: "r"
            case .flat: "f"
            case .undecided: "u"
            }
        let relief = frame.relief.flatMap { $0.isFinite ? String(format: "%.3g", ValueFormatter.percent(min(1, max(0, $0)))) : nil }
        return "\(frame.timeMilliseconds)\(verdict)\(relief ?? "")\(isSuspicious && frame.verdict != .flat ? "!" : "")"
    }

    var context: ViewContext {
        [
            "sheet": link, "width": tile.width, "height": tile.height, "columns": columns, "middle": isMiddle, "frames": frames,
        ]
    }
}
