import CoreMetrics
import Foundation
import Testing

@testable import Observability

@Suite("Metrics in Prometheus' text form")
struct MetricsTests {
    private let registry = MetricsRegistry()

    private func sample(_ name: String) -> String? {
        registry.exposition().split(separator: "\n").first { $0.hasPrefix(name) && $0.dropFirst(name.count).first == " " }
            .flatMap { $0.split(separator: " ").last.map(String.init) }
    }

    @Test("a counter adds up, one series for each set of labels")
    func counters() {
        registry.makeCounter(label: "rial_things_total", dimensions: [("kind", "a")]).increment(by: 2)
        registry.makeCounter(label: "rial_things_total", dimensions: [("kind", "a")]).increment(by: 3)
        registry.makeCounter(label: "rial_things_total", dimensions: [("kind", "b")]).increment(by: 1)
        #expect(sample(#"rial_things_total{kind="a"}"#) == "5")
        #expect(sample(#"rial_things_total{kind="b"}"#) == "1")
        let text = registry.exposition()
        #expect(text.components(separatedBy: "# TYPE rial_things_total counter").count == 2, "its type is said once")
    }

    @Test("a gauge goes up and down")
    func gauges() {
        let gauge = registry.makeMeter(label: "rial_open", dimensions: [])
        gauge.set(Double(5))
        gauge.increment(by: 2)
        gauge.decrement(by: 4)
        #expect(sample("rial_open") == "3")
    }

    @Test("a timer is a histogram in seconds whose buckets include those below")
    func histograms() {
        let timer = registry.makeTimer(label: "rial_work_seconds", dimensions: [])
        for nanoseconds in [2_000_000, 2_000_000, 40_000_000_000] { timer.recordNanoseconds(Int64(nanoseconds)) }
        #expect(sample("rial_work_seconds_count") == "3")
        #expect(sample(#"rial_work_seconds_bucket{le="+Inf"}"#) == "3")
        let buckets = registry.exposition().split(separator: "\n").filter { $0.hasPrefix("rial_work_seconds_bucket") }
            .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        #expect(buckets == buckets.sorted() && buckets.contains(2) && buckets.last == 3)
    }

    @Test(
        "a label's value cannot break the line, and is else written as it is",
        arguments: [
            ("a\"b\\c\nd", #"a\"b\\c\nd"#), ("a\r\nb", "a\r\\nb"), ("\\\u{301}", "\\\\\u{301}"),
            ("gr\u{F6}\u{DF}er, {1}", "gr\u{F6}\u{DF}er, {1}"), ("", ""),
        ])
    func escaping(value: String, written: String) {
        #expect(Series("rial_odd_total", [("text", value)]).labels() == "{text=\"\(written)\"}")
        registry.makeCounter(label: "rial_odd_total", dimensions: [("text", value)]).increment(by: 1)
        #expect(registry.exposition().contains("\nrial_odd_total{text=\"\(written)\"} 1\n"))
    }

    @Test(
        "a name has letters and digits of ASCII and underscores only",
        arguments: [
            ("rial_Things_2_total", "rial_Things_2_total"), ("rial.things-total", "rial_things_total"), ("gr\u{F6}\u{DF}e", "gr__e"),
        ])
    func names(label: String, name: String) {
        #expect(Series(label, []).name == name)
    }

    @Test("concurrent increments are all counted")
    func threads() async {
        let counter = registry.makeCounter(label: "rial_busy_total", dimensions: [])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<1000 { counter.increment(by: 1) } } }
        }
        #expect(sample("rial_busy_total") == "8000")
    }
}
