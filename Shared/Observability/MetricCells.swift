import CoreMetrics
import Foundation
import Synchronization

final class CounterCell: CounterHandler {
    private let count = Atomic<Int64>(0)
    var value: Int64 { count.load(ordering: .relaxed) }
    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }
}

final class GaugeCell: MeterHandler, RecorderHandler {
    private let stored = Mutex(0.0)
    var value: Double { stored.withLock { $0 } }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { stored.withLock { $0 = value } }
    func increment(by amount: Double) { stored.withLock { $0 += amount } }
    func decrement(by amount: Double) { stored.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
}

/// Observations in fixed buckets; timers observe seconds.
final class HistogramCell: TimerHandler, RecorderHandler {
    static let bounds: [Double] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
    private struct State {
        var buckets = [Int](repeating: 0, count: HistogramCell.bounds.count)
        var sum = 0.0
        var count = 0
    }
    private let state = Mutex(State())

    func recordNanoseconds(_ duration: Int64) { observe(Double(duration) / 1e9) }
    func record(_ value: Int64) { observe(Double(value)) }
    func record(_ value: Double) { observe(value) }

    private func observe(_ value: Double) {
        state.withLock { state in
            state.sum += value
            state.count += 1
            if let index = Self.bounds.firstIndex(where: { value <= $0 }) { state.buckets[index] += 1 }
        }
    }

    func lines(of series: Series) -> String {
        let state = state.withLock { $0 }
        var text = ""
        var cumulative = 0
        for (bound, count) in zip(Self.bounds, state.buckets) {
            cumulative += count
            text += "\(series.name)_bucket\(series.labels("le=\"\(Series.number(bound))\"")) \(cumulative)\n"
        }
        text += "\(series.name)_bucket\(series.labels("le=\"+Inf\"")) \(state.count)\n"
        text += "\(series.name)_sum\(series.labels()) \(Series.number(state.sum))\n"
        text += "\(series.name)_count\(series.labels()) \(state.count)\n"
        return text
    }
}
