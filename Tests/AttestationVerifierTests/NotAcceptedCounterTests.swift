import CoreMetrics
import Observability
import Testing

@testable import AttestationVerifier

@Suite("The counter of signatures that are not accepted")
struct NotAcceptedCounterTests {
    @Test("is there at 0 for the settings that an alarm looks at, so that the first capture is an increase")
    func shown() {
        let metrics = MetricsRegistry()
        withMetricsFactory(metrics) { AppraiseCapture.showCounters() }
        let lines = metrics.exposition().split(separator: "\n").filter { $0.hasPrefix("rial_assertions_not_accepted_total{") }
        let expected = ["app_not_accepted", "environment_mismatch"].map { "rial_assertions_not_accepted_total{reason=\"\($0)\"} 0" }
        #expect(lines.map { String($0) }.sorted() == expected)
    }
}
