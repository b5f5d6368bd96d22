import CaptureProtocol
import Foundation
import Models

/// Relief of the keyframes of a video by time: a drawing to go along, and a table by the second (SPEC §10.10).
struct ReliefChart: Sendable {
    let temporal: VideoDepthMeasurements
    let durationMilliseconds: Int64
    let strings: StringTable
    private var formatter: ValueFormatter { ValueFormatter(strings: strings) }

    /// Units of the drawing, which is stretched to its place.
    private static let width = 1000.0
    private static let height = 100.0
    /// The relief at the upper edge: as that of the gauge, or all of it.
    private var top: Double { temporal.frameAnalyses.contains { $0.relief.map { $0 > 0.6 } ?? false } ? 1 : 0.6 }

    /// - Parameter canBeScrubbed: whether there are pictures of the keyframes to go along.
    /// - Returns: `nil` without keyframes.
    func context(canBeScrubbed: Bool) -> ViewContext? {
        let frames = temporal.frameAnalyses
        guard !frames.isEmpty, durationMilliseconds > 0 else { return nil }
        let doubtful = temporal.doubtful
        var view: ViewContext = [
            "label": label(frames), "lines": polylines(frames),
            "marks": doubtful.map {
                ["x": Self.percent(across($0) / 10), "y": Self.percent($0.relief.map(down) ?? Self.height)] as ViewContext
            },
            "rows": rows(frames, doubtful: Set(doubtful.map(\.frame))),
            "end": strings("video.seconds", ["s": formatter.number(Double(durationMilliseconds / 100) / 10, digits: 1)]),
            "flat": Self.percent(down(0.1)), "solid": Self.percent(down(0.2)),
        ]
        if canBeScrubbed { view["scrub"] = ["last": frames.count - 1, "text": strings("chart.at")] as ViewContext }
        return view
    }

    private func label(_ frames: [VideoFrameAnalysis]) -> String {
        guard let (least, most) = Self.range(frames) else { return strings("chart.label.none") }
        let measured = frames.count { $0.relief != nil }
        return strings(
            measured == 1 ? "chart.label.one" : "chart.label",
            ["n": "\(measured)", "a": formatter.percentage(least), "b": formatter.percentage(most)])
    }

    /// One line for each run of keyframes that were measured.
    private func polylines(_ frames: [VideoFrameAnalysis]) -> [String] {
        var lines: [[String]] = [[]]
        for frame in frames {
            if let relief = frame.relief {
                lines[lines.count - 1].append("\(Int(across(frame).rounded())),\(Int(down(relief).rounded()))")
            } else if lines.last?.isEmpty == false {
                lines.append([])
            }
        }
        return lines.filter { !$0.isEmpty }.map { points in
            // A line of one point would not be drawn.
            (points.count == 1 ? points + points : points).joined(separator: " ")
        }
    }

    /// The keyframes of each second: lowest and highest relief, and how many were called what.
    private func rows(_ frames: [VideoFrameAnalysis], doubtful: Set<Int>) -> [ViewContext] {
        Dictionary(grouping: frames) { $0.timeMilliseconds / 1000 }.sorted { $0.key < $1.key }.map { second, frames in
            let relief = Self.range(frames).map { least, most in
                let (least, most) = (formatter.percentage(least), formatter.percentage(most))
                return least == most ? "\(least) %" : "\(least)–\(most) %"
            }
            return [
                "t": strings("video.seconds", ["s": "\(second)"]), "r": relief ?? "–",
                "real": frames.count { $0.verdict == .real }, "none": frames.count { $0.verdict == .flat },
                "doubt": frames.count { doubtful.contains($0.frame) },
            ]
        }
    }

    private static func range(_ frames: [VideoFrameAnalysis]) -> (least: Double, most: Double)? {
        let measured = frames.compactMap(\.relief)
        guard let least = measured.min(), let most = measured.max() else { return nil }
        return (least, most)
    }

    private func across(_ frame: VideoFrameAnalysis) -> Double {
        min(Self.width, max(0, Double(frame.timeMilliseconds) * Self.width / Double(durationMilliseconds)))
    }

    private func down(_ relief: Double) -> Double {
        relief.isNaN ? Self.height : Self.height - min(1, max(0, relief / top)) * Self.height
    }

    private static func percent(_ value: Double) -> String { String(format: "%.4g%%", value) }
}
