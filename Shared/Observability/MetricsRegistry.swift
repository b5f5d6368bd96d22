public import CoreMetrics
import Foundation
import Synchronization

/// Collects metrics from the swift-metrics API and writes them in the Prometheus text format 0.0.4.
///
/// Labels of counters end in `_total`, those of timers in `_seconds`; timers and recorders become histograms with fixed buckets. At most
/// 5,000 series are kept, so that untrusted label values cannot exhaust memory; later series are dropped and counted.
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
        cell(\.counters, label, dimensions, CounterCell())
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
        cell(\.gauges, label, dimensions, GaugeCell())
    }

    private func histogram(_ label: String, _ dimensions: [(String, String)]) -> HistogramCell {
        cell(\.histograms, label, dimensions, HistogramCell())
    }

    /// The series' cell: the known one, or a new one. Beyond ``maximumSeries`` the new one is not kept.
    private func cell<Cell: Sendable>(
        _ cells: WritableKeyPath<State, [Series: Cell]>, _ label: String, _ dimensions: [(String, String)],
        _ new: @autoclosure () -> Cell
    ) -> Cell {
        let series = Series(label, dimensions)
        return state.withLock { state in
            if let known = state[keyPath: cells][series] { return known }
            let cell = new()
            if state.count < Self.maximumSeries { state[keyPath: cells][series] = cell } else { state.dropped += 1 }
            return cell
        }
    }

    /// The text for Prometheus: each family once, with what it measures and its type, its series sorted.
    public func exposition() -> String {
        let snapshot = state.withLock { ($0.counters, $0.gauges, $0.histograms, $0.dropped) }
        var text = ""
        Self.write(snapshot.0, .counter, to: &text) { "\($0.name)\($0.labels()) \($1.value)\n" }
        Self.write(snapshot.1, .gauge, to: &text) { "\($0.name)\($0.labels()) \(Series.number($1.value))\n" }
        Self.write(snapshot.2, .histogram, to: &text) { $1.lines(of: $0) }
        text += MetricFamily.text("rial_metrics_dropped_series", .gauge, Double(snapshot.3))
        text += ProcessMetrics.exposition()
        return text
    }

    private static func write<Cell>(
        _ cells: [Series: Cell], _ kind: MetricFamily.Kind, to text: inout String, line: (Series, Cell) -> String
    ) {
        var family = ""
        for (series, cell) in cells.sorted(by: { $0.key < $1.key }) {
            if series.name != family {
                family = series.name
                text += MetricFamily.heading(family, kind)
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
        name = Self.allowedName(label)
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

    /// The name with an underscore in place of each character that names cannot have. Called on every use of a metric, so the usual name,
    /// which has none, must cost little.
    private static func allowedName(_ label: String) -> String {
        if label.utf8.allSatisfy(isNameByte) { return label }
        var name = String.UnicodeScalarView()
        for scalar in label.unicodeScalars {
            name.append(scalar.isASCII && isNameByte(UInt8(truncatingIfNeeded: scalar.value)) ? scalar : "_")
        }
        return String(name)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// The value of a label. As with names, the usual one must cost little.
    private static func escape(_ value: String) -> String {
        guard value.utf8.contains(where: isEscaped) else { return value }
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
    }
}
