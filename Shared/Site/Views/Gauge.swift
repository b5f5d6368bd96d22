import CaptureProtocol
import Foundation
import Models

/// A measurement on a scale. Positions are percentages of the bar.
struct Gauge: Sendable {
    struct Mark: Sendable {
        let at: Double
        let label: String
        /// A value of SVG's `text-anchor`.
        let anchor: String
    }
    let name: String
    let number: String
    let text: String
    /// The position of the value, limited to 0...100.
    let pin: Double
    var lines: [Double] = []
    /// The start of the zone that means "three-dimensional"; without it the bar is filled from its start and has no zone.
    var zone: Double?
    let marks: [Mark]

    var context: ViewContext {
        let from = zone ?? 0
        return [
            "name": name, "number": number, "text": text, "fill": zone == nil ? "fill" : "zone", "from": Self.percent(from),
            "length": Self.percent(max(pin - from, 0)), "pin": Self.percent(pin), "lines": lines.map(Self.percent), "round": zone == nil,
            "marks": marks.map { ["at": Self.percent($0.at), "word": $0.label, "anchor": $0.anchor] as ViewContext },
        ]
    }

    /// Relief, which determines the verdict, and the three measurements that count only between its thresholds; each only if it was
    /// measured.
    static func all(_ depth: DepthAnalysisEvidence, _ strings: StringTable) -> [Gauge] {
        let formatter = ValueFormatter(strings: strings)
        return [
            depth.relief.map { relief($0, isReal: depth.verdict == .real, formatter) }, depth.depthVariance.map { variance($0, formatter) },
            depth.depthLayers.map { layers($0, formatter) }, depth.edgeCoherence.map { edges($0, formatter) },
        ].compactMap { $0 }
    }

    /// Linear from 0 to 60 %. A scene that is real by what stands out in front has its relief outside the zone.
    private static func relief(_ share: Double, isReal: Bool, _ formatter: ValueFormatter) -> Gauge {
        let strings = formatter.strings
        return Gauge(
            name: strings("m.relief"), number: "\(formatter.percentage(share)) %", text: strings("m.relief.text"),
            pin: held(share * 100 / 60 * 100),
            lines: [100.0 / 6, 100.0 / 3], zone: isReal && share > 0.2 ? 100.0 / 3 : nil,
            marks: [
                Mark(at: 100.0 / 12, label: strings("zone.flat"), anchor: "middle"),
                Mark(at: 25, label: strings("zone.unclear"), anchor: "middle"),
                Mark(at: 37, label: strings("zone.solid"), anchor: "start"),
                Mark(at: 100, label: strings("zone.more", ["n": "60 %"]), anchor: "end"),
            ])
    }

    /// Square root from 0 to 5 m.
    private static func variance(_ metres: Double, _ formatter: ValueFormatter) -> Gauge {
        Gauge(
            name: formatter.strings("m.variance"), number: "\(formatter.number(metres, digits: 2)) m",
            text: formatter.strings("m.variance.text"),
            pin: held((max(metres, 0) / 5).squareRoot() * 100),
            marks: [
                Mark(at: 0, label: "0", anchor: "start"), Mark(at: 31.62, label: formatter.number(0.5, digits: 1), anchor: "middle"),
                Mark(at: 63.25, label: "2", anchor: "middle"), Mark(at: 100, label: "5 m", anchor: "end"),
            ])
    }

    /// Linear from 0 to 10.
    private static func layers(_ count: Int, _ formatter: ValueFormatter) -> Gauge {
        Gauge(
            name: formatter.strings("m.layers"), number: formatter.number(Double(count), digits: 0),
            text: formatter.strings("m.layers.text"),
            pin: held(Double(count) * 10),
            marks: [
                Mark(at: 0, label: "0", anchor: "start"), Mark(at: 50, label: "5", anchor: "middle"),
                Mark(at: 100, label: formatter.strings("zone.more", ["n": "10"]), anchor: "end"),
            ])
    }

    /// Linear from 0 to 100 %.
    private static func edges(_ share: Double, _ formatter: ValueFormatter) -> Gauge {
        Gauge(
            name: formatter.strings("m.edges"), number: "\(formatter.percentage(share)) %", text: formatter.strings("m.edges.text"),
            pin: held(share * 100),
            marks: [
                Mark(at: 0, label: "0", anchor: "start"), Mark(at: 50, label: "50", anchor: "middle"),
                Mark(at: 100, label: "100 %", anchor: "end"),
            ])
    }

    static func held(_ percent: Double) -> Double { percent.isNaN ? 0 : min(max(percent, 0), 100) }

    /// Four digits: "33.33%".
    private static func percent(_ value: Double) -> String { String(format: "%.4g%%", value) }
}
