import Evidence
import Foundation
import Models

/// The depth section: verdict, picture, gauges.
struct DepthView: Sendable {
    let depth: DepthAnalysisEvidence
    /// The depth picture, if the photo is there too.
    let picture: PublishedMedia?
    /// A capture without media has no picture to miss.
    let expectsPicture: Bool
    /// The named model is one with a LiDAR sensor. Otherwise the page does not say that such a sensor measured.
    let isModelConfirmed: Bool
    let words: WordTable

    func context() -> ViewContext {
        guard let verdict = depth.verdict else { return ["missing": words("depth.none")] }
        var view: ViewContext = ["intro": words(intro)]
        let shown = pictureView()
        if shown == nil, expectsPicture { view["missing"] = words("depth.nopicture") }
        view["verdict"] = self.verdict(verdict, shown)
        return view
    }

    private var hasLiDAR: Bool { depth.reason?.known != .noLiDAR }

    private var intro: String {
        switch (depth.source, isModelConfirmed && hasLiDAR) {
        case (.server, true): "depth.intro"
        case (.device, true): "depth.intro.device"
        case (.server, false): "depth.intro.reported"
        case (.device, false): "depth.intro.reported.device"
        }
    }

    private func verdict(_ verdict: DepthVerdict, _ picture: ViewContext?) -> ViewContext {
        let status = verdict == .real && hasLiDAR ? CheckStatus.pass : .inconclusive
        let word = hasLiDAR ? "depth.\(verdict.rawValue)" : "depth.nolidar"
        var view: ViewContext = [
            "class": status.styleClass, "icon": status.icon, "told": words(word), "meaning": words("\(word).is"),
            "gauges": Gauge.all(depth, words).map(\.context),
        ]
        if hasLiDAR, verdict != .undecided { view["limit"] = words("depth.\(verdict.rawValue).not") }
        if let picture {
            view["picture"] = picture
            if verdict == .flat { view["see"] = words("depth.flat.see") }
        }
        return view
    }

    private func pictureView() -> ViewContext? {
        guard let picture, let size = picture.size else { return nil }
        var view: ViewContext = [
            "depth_src": picture.link, "depth_width": size.width, "depth_height": size.height,
            "slider_text": words("view.slider.value", ["n": "50", "m": "50"]),
        ]
        if let scale = depth.previewScale, scale.near > 0, scale.far > scale.near, scale.far.isFinite {
            view["scale"] = legend(scale)
        }
        return view
    }

    /// Ticks lie logarithmically; one near an end has no text, which would meet the end's on a phone.
    private func legend(_ scale: DepthPreviewScale) -> ViewContext {
        let formats = Formats(words: words)
        let (nearText, farText) = (formats.metres(scale.near), formats.metres(scale.far))
        let ticks = scale.ticks.map { metres -> ViewContext in
            let share = scale.position(of: metres) * 100
            var tick: ViewContext = ["x": String(format: "%.1f%%", share)]
            if (32...74).contains(share) { tick["text"] = "\(formats.metres(metres)) m" }
            return tick
        }
        return [
            "label": words("legend.label", ["near": nearText, "far": farText]), "near": words("legend.near.m", ["m": nearText]),
            "far": words("legend.far.m", ["m": farText]), "ticks": ticks,
        ]
    }
}
