public import CoreMetrics
import Foundation
import Synchronization

/// Collects what the swift-metrics API reports and writes it in the Prometheus text format 0.0.4.
///
/// Counters end in `_total` and timers in `_seconds` by their labels; timers and recorders become histograms with fixed buckets.
/// At most 5,000 series are kept, so that labels from outside cannot grow it without bound; later ones are dropped and counted.
public final class MetricsRegistry: MetricsFactory, Sendable {
    static let maximumSeries = 5000
    private struct State {
        var counters: [Series: CounterCell] = [:]
        var gauges: [Series: GaugeCell] = [:]
        var histograms: [Series: HistogramCell] = [:]
        var dropped = 0
        var count: Int { counters.count + gauges.count + histograms.count }
    }
    private let state = Mutex(State())

    public init() {}

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let series = Series(label, dimensions)
        return state.withLock { state in
            if let cell = state.counters[series] { return cell }
            let cell = CounterCell()
            if state.count < Self.maximumSeries { state.counters[series] = cell } else { state.dropped += 1 }
            return cell
        }
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        aggregate ? histogram(label, dimensions) : gauge(label, dimensions)
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { gauge(label, dimensions) }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { histogram(label, dimensions) }

    public func destroyCounter(_: any CounterHandler) {}
    public func destroyRecorder(_: any RecorderHandler) {}
    public func destroyMeter(_: any MeterHandler) {}
    public func destroyTimer(_: any TimerHandler) {}

    private func gauge(_ label: String, _ dimensions: [(String, String)]) -> GaugeCell {
        let series = Series(label, dimensions)
        return state.withLock { state in
            if let cell = state.gauges[series] { return cell }
            let cell = GaugeCell()
            if state.count < Self.maximumSeries { state.gauges[series] = cell } else { state.dropped += 1 }
            return cell
        }
    }

    private func histogram(_ label: String, _ dimensions: [(String, String)]) -> HistogramCell {
        let series = Series(label, dimensions)
        return state.withLock { state in
            if let cell = state.histograms[series] { return cell }
            let cell = HistogramCell()
            if state.count < Self.maximumSeries { state.histograms[series] = cell } else { state.dropped += 1 }
            return cell
        }
    }

    /// The exposition: each family once, with its type, series sorted.
    public func exposition() -> String {
        let snapshot = state.withLock { ($0.counters, $0.gauges, $0.histograms, $0.dropped) }
        var text = ""
        Self.write(snapshot.0, type: "counter", to: &text) { "\($0.name)\($0.labels()) \($1.value)\n" }
        Self.write(snapshot.1, type: "gauge", to: &text) { "\($0.name)\($0.labels()) \(Series.number($1.value))\n" }
        Self.write(snapshot.2, type: "histogram", to: &text) { $1.lines(of: $0) }
        text += "# TYPE rial_metrics_dropped_series gauge\nrial_metrics_dropped_series \(snapshot.3)\n"
        text += ProcessMetrics.exposition()
        return text
    }

    private static func write<Cell>(
        _ cells: [Series: Cell], type: String, to text: inout String, line: (Series, Cell) -> String
    ) {
        var family = ""
        for (series, cell) in cells.sorted(by: { $0.key < $1.key }) {
            if series.name != family {
                family = series.name
                text += "# TYPE \(family) \(type)\n"
            }
            text += line(series, cell)
        }
    }
}

/// A metric's name and labels.
struct Series: Hashable, Comparable {
    let name: String
    private let labelText: String

    init(_ label: String, _ dimensions: [(String, String)]) {
        name = String(
            String.UnicodeScalarView(
                label.unicodeScalars.map { scalar in
                    scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_") ? scalar : "_"
                }))
        labelText = dimensions.map { "\($0.0)=\"\(Self.escape($0.1))\"" }.joined(separator: ",")
    }

    func labels(_ extra: String = "") -> String {
        let all = [labelText, extra].filter { !$0.isEmpty }.joined(separator: ",")
        return all.isEmpty ? "" : "{\(all)}"
    }

    static func < (left: Series, right: Series) -> Bool { (left.name, left.labelText) < (right.name, right.labelText) }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }

    private static func escape(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
