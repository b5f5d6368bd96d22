import CaptureProtocol
import Foundation
import Models

/// Relief of the keyframes of a video by time: a drawing to go along, and the same numbers as a table (SPEC §10.10).
struct ReliefChart: Sendable {
    let temporal: VideoDepthMeasurements
    let durationMilliseconds: Int64
    let strings: StringTable
    private var formatter: ValueFormatter { ValueFormatter(strings: strings) }

    /// The relief at the upper edge, as that of the gauge; more is held there.
    static let top = 0.6
    /// Units of the drawing, which is stretched to its place.
    private static let width = 1000.0
    private static let height = 100.0

    /// - Parameter canBeScrubbed: whether there are pictures of the keyframes to go along.
    /// - Returns: `nil` without keyframes.
    func context(canBeScrubbed: Bool) -> ViewContext? {
        let frames = temporal.frameAnalyses
        guard !frames.isEmpty, durationMilliseconds > 0 else { return nil }
        let suspicious = Set(temporal.suspiciousFrames)
        var view: ViewContext = [
            "label": label(frames), "lines": polylines(frames),
            "marks": temporal.doubtful.map {
                ["x": Self.percent(across($0) / 10), "y": Self.percent($0.relief.map(down) ?? Self.height)] as ViewContext
            },
            "table": strings("chart.table", ["n": "\(frames.count)"]),
            "rows": frames.map { row($0, isDoubtful: $0.verdict != .flat && suspicious.contains($0.frame)) },
            "end": strings("video.seconds", ["s": formatter.number(Double(durationMilliseconds / 100) / 10, digits: 1)]),
            "flat": Self.percent(Self.height - 0.1 / Self.top * Self.height),
            "solid": Self.percent(Self.height - 0.2 / Self.top * Self.height),
        ]
        if canBeScrubbed { view["scrub"] = ["last": frames.count - 1, "text": strings("chart.at")] as ViewContext }
        return view
    }

    private func label(_ frames: [VideoFrameAnalysis]) -> String {
        let measured = frames.compactMap(\.relief)
        guard let least = measured.min(), let most = measured.max() else { return strings("chart.label.none") }
        return strings(
            "chart.label", ["n": "\(frames.count)", "a": formatter.percentage(least), "b": formatter.percentage(most)])
    }

    /// One line for each run of keyframes that were measured.
    private func polylines(_ frames: [VideoFrameAnalysis]) -> [String] {
        var lines: [[String]] = [[]]
        for frame in frames {
            if let relief = frame.relief {
                lines[lines.count - 1].append(String(format: "%.4g,%.3g", across(frame), down(relief)))
            } else if lines.last?.isEmpty == false {
                lines.append([])
            }
        }
        return lines.filter { !$0.isEmpty }.map { points in
            // A line of one point would not be drawn.
            (points.count == 1 ? points + points : points).joined(separator: " ")
        }
    }

    private func across(_ frame: VideoFrameAnalysis) -> Double {
        min(Self.width, max(0, Double(frame.timeMilliseconds) * Self.width / Double(durationMilliseconds)))
    }

    private func down(_ relief: Double) -> Double {
        relief.isNaN ? Self.height : Self.height - min(1, max(0, relief / Self.top)) * Self.height
    }

    private func row(_ frame: VideoFrameAnalysis, isDoubtful: Bool) -> ViewContext {
        let verdict = strings("chart.\(frame.verdict.rawValue)")
        return [
            "t": formatter.number(Double(frame.timeMilliseconds) / 1000, digits: 1), "r": share(frame.relief),
            "v": isDoubtful ? strings("chart.doubtful", ["v": verdict]) : verdict, "a": share(frame.agreement),
        ]
    }

    private func share(_ value: Double?) -> String { value.map { "\(formatter.percentage($0)) %" } ?? "–" }

    private static func percent(_ value: Double) -> String { String(format: "%.4g%%", value) }
}
