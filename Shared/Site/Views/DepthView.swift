import CaptureProtocol
import Evidence
import Foundation
import Models

/// The depth section: verdict, picture, gauges.
struct DepthView: Sendable {
    let depth: DepthAnalysisEvidence
    /// The depth picture; only if there is a photo too.
    let picture: PublishedMedia?
    /// False for a capture without media, for which no picture is missing.
    let expectsPicture: Bool
    /// Whether an accepted signature covers depth and model, no test device made it, and the model is known to have a LiDAR sensor.
    /// Otherwise the page does not claim that such a sensor measured.
    let isSensorConfirmed: Bool
    let strings: StringTable
    /// The depth of all keyframes of a video; `nil` without the picture of them.
    var sheet: DepthSheet?
    /// How long a video is, in milliseconds.
    var duration: Int64 = 0

    func context() -> ViewContext {
        guard let verdict = depth.verdict else { return ["missing": strings("depth.none")] }
        var view: ViewContext = ["intro": strings(intro)]
        let shown = pictureView()
        if shown == nil, expectsPicture { view["missing"] = strings("depth.nopicture") }
        view["verdict"] = self.verdict(verdict, shown)
        return view
    }

    private var hasLiDAR: Bool { depth.reason?.known != .noLiDAR }

    private var intro: String {
        switch (depth.source, isSensorConfirmed && hasLiDAR) {
        case (.server, true): "depth.intro"
        case (.device, true): "depth.intro.device"
        case (.server, false): "depth.intro.reported"
        case (.device, false): "depth.intro.reported.device"
        }
    }

    private func verdict(_ verdict: DepthVerdict, _ picture: ViewContext?) -> ViewContext {
        let word = hasLiDAR ? "depth.\(verdict.rawValue)" : "depth.nolidar"
        var view: ViewContext = [
            "class": depth.status.styleClass, "icon": depth.status.icon, "told": strings(word), "meaning": strings("\(word).is"),
            "gauges": (Gauge.all(depth, strings) + (depth.temporal.map { Gauge.temporal($0, strings) } ?? [])).map(\.context),
        ]
        var see: [String] = []
        // That of a video's measurements: its check may have another.
        let reason = depth.temporal == nil ? depth.reason?.known?.rawValue : depth.temporal?.reason?.known?.rawValue
        if verdict == .undecided, let why = DepthReasonText.key(reason) { view["meaning"] = strings(why) }
        // Where the pictures or the maps do not suffice, the reason above says why there is no number.
        if let temporal = depth.temporal, temporal.motionCoherence == nil,
            ![.videoUndecodable, .tooFewKeyframes].contains(temporal.reason?.known)
        {
            see.append(strings("m.coherence.none"))
        }
        if hasLiDAR, verdict != .undecided { view["limit"] = strings("depth.\(verdict.rawValue).not") }
        let chart = depth.temporal.flatMap {
            ReliefChart(temporal: $0, durationMilliseconds: duration, strings: strings)
                .context(canBeScrubbed: picture != nil && sheet != nil)
        }
        if var picture {
            picture["graph"] = chart
            view["picture"] = picture
            if verdict == .flat { see.append(strings("depth.flat.see")) }
        } else {
            view["chart"] = chart
        }
        view["see"] = see
        return view
    }

    private func pictureView() -> ViewContext? {
        guard let picture, let size = picture.size else { return nil }
        var view: ViewContext = [
            "depth_src": picture.link, "depth_width": size.width, "depth_height": size.height,
            "slider_text": strings("view.slider.value", ["n": "50", "m": "50"]),
        ]
        if depth.temporal != nil {
            view["film"] = true
            view["tile"] = sheet?.context
        }
        if let scale = depth.previewScale, scale.near > 0, scale.far > scale.near, scale.far.isFinite {
            view["scale"] = legend(scale)
        }
        return view
    }

    /// Ticks are positioned logarithmically. A tick near an end has no label, which would overlap the end's label on a phone.
    private func legend(_ scale: DepthPreviewScale) -> ViewContext {
        let formatter = ValueFormatter(strings: strings)
        let (nearText, farText) = (formatter.metres(scale.near), formatter.metres(scale.far))
        let ticks = scale.ticks.map { metres -> ViewContext in
            let share = scale.position(of: metres) * 100
            var tick: ViewContext = ["x": String(format: "%.1f%%", share)]
            if (32...74).contains(share) { tick["text"] = "\(formatter.metres(metres)) m" }
            return tick
        }
        return [
            "label": strings("legend.label", ["near": nearText, "far": farText]), "near": strings("legend.near.m", ["m": nearText]),
            "far": strings("legend.far.m", ["m": farText]), "ticks": ticks,
        ]
    }
}
