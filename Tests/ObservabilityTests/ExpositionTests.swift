import CoreMetrics
import Foundation
import TestSupport
import Testing

@testable import Observability

@Suite("What /metrics says of each metric")
struct ExpositionTests {
    private static let promtool = [
        SharedData.projectRoot.appendingPathComponent(".local/tools/prometheus/usr/bin/promtool").path, "/usr/bin/promtool",
    ].first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test("is what it measures, then its type, then its series")
    func headings() throws {
        let registry = MetricsRegistry()
        for kind in ["a", "b"] { registry.makeCounter(label: "rial_statements_total", dimensions: [("kind", kind)]).increment(by: 1) }
        let lines = registry.exposition().split(separator: "\n").filter { $0.contains("rial_statements_total") }
        #expect(
            lines == [
                "# HELP rial_statements_total Statements made for the public log, by kind.", "# TYPE rial_statements_total counter",
                #"rial_statements_total{kind="a"} 1"#, #"rial_statements_total{kind="b"} 1"#,
            ])
    }

    @Test("stays on its line, whatever the text")
    func escaping() {
        let text = MetricFamily.heading("rial_odd", .gauge, help: "a \\ b\n# TYPE rial_odd \"counter\"")
        #expect(text == "# HELP rial_odd a \\\\ b\\n# TYPE rial_odd \"counter\"\n# TYPE rial_odd gauge\n")
        #expect(MetricFamily.heading("rial_odd", .gauge, help: nil) == "# TYPE rial_odd gauge\n")
    }

    @Test("is left out with its series where there is no value")
    func absent() {
        #expect(MetricFamily.text("process_open_fds", .gauge, nil).isEmpty)
        #expect(MetricFamily.text("process_max_fds", .gauge, .infinity).hasSuffix("\nprocess_max_fds +Inf\n"))
    }

    @Test("suits Prometheus, for every metric that there is", .enabled(if: promtool != nil, "promtool is not installed"))
    func promtoolAgrees() throws {
        let registry = MetricsRegistry()
        for name in MetricHelp.texts.keys where name.hasPrefix("rial_") && name != "rial_metrics_dropped_series" {
            if name.hasSuffix("_total") {
                registry.makeCounter(label: name, dimensions: [("kind", "a\"b\\c\nd")]).increment(by: 1)
            } else if name.hasSuffix("_seconds") {
                registry.makeTimer(label: name, dimensions: []).recordNanoseconds(1)
            } else {
                registry.makeMeter(label: name, dimensions: []).set(0.5)
            }
        }
        // Days are the unit in which certificates are renewed.
        #expect(try complaints(registry.exposition()) == [#"rial_signing_certificate_days_left use base unit "seconds" instead of "days""#])
        registry.makeMeter(label: "rial_new", dimensions: []).set(Int64(1))
        #expect(try complaints(registry.exposition()).contains("rial_new no help text"))
    }

    /// What `promtool check metrics` has to say.
    private func complaints(_ exposition: String) throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("rial-\(UUID().uuidString).prom")
        try Data(exposition.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.promtool))
        process.arguments = ["check", "metrics"]
        process.standardInput = try FileHandle(forReadingFrom: file)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").map(String.init)
    }
}
