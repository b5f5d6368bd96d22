import Models

extension Gauge {
    /// The four measurements that only a video has, each only if it was measured. Lines are at the thresholds of `relief-video-1`.
    static func temporal(_ found: VideoDepthMeasurements, _ strings: StringTable) -> [Gauge] {
        let formatter = ValueFormatter(strings: strings)
        return [
            found.depthConsistency.map { share($0, "m.consistency", line: 80, formatter) },
            found.sceneStability.map { share($0, "m.stability", line: 90, formatter) },
            found.motionCoherence.map { coherence($0, formatter) }, found.edgeAlignment.map { alignment($0, formatter) },
        ].compactMap(\.self)
    }

    /// Linear from 0 to 100 %.
    private static func share(_ share: Double, _ key: String, line: Double, _ formatter: ValueFormatter) -> Gauge {
        Gauge(
            name: formatter.strings(key), number: "\(formatter.percentage(share)) %", text: formatter.strings(key + ".text"),
            pin: held(share * 100), lines: [line],
            marks: [
                Mark(at: 0, label: "0", anchor: "start"), Mark(at: line, label: "\(formatter.number(line, digits: 0)) %", anchor: "middle"),
            ])
    }

    /// Linear from 0 to 100 %; chance gives a third.
    private static func coherence(_ share: Double, _ formatter: ValueFormatter) -> Gauge {
        Gauge(
            name: formatter.strings("m.coherence"), number: "\(formatter.percentage(share)) %",
            text: formatter.strings("m.coherence.text"), pin: held(share * 100), lines: [100.0 / 3, 50],
            marks: [
                Mark(at: 0, label: "0", anchor: "start"), Mark(at: 100.0 / 3, label: formatter.strings("zone.chance"), anchor: "end"),
                Mark(at: 50, label: "50 %", anchor: "start"), Mark(at: 100, label: "100 %", anchor: "end"),
            ])
    }

    /// Linear from −0.05 to 0.2.
    private static func alignment(_ value: Double, _ formatter: ValueFormatter) -> Gauge {
        let (least, most) = (-0.05, 0.2)
        func place(_ value: Double) -> Double { held((value - least) / (most - least) * 100) }
        return Gauge(
            name: formatter.strings("m.alignment"), number: formatter.number(value, digits: 3),
            text: formatter.strings("m.alignment.text"), pin: place(value), lines: [place(0), place(0.05)],
            marks: [
                Mark(at: place(0), label: "0", anchor: "middle"),
                Mark(at: place(0.05), label: formatter.number(0.05, digits: 2), anchor: "middle"),
                Mark(at: 100, label: formatter.strings("zone.more", ["n": formatter.number(most, digits: 1)]), anchor: "end"),
            ])
    }
}
