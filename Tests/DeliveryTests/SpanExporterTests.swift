import AsyncHTTPClient
import Foundation
import Logging
import Observability
import Secrets
import Synchronization
import TestSupport
import Testing

@testable import ServiceRuntime

@Suite("Exported spans", .timeLimit(.minutes(1)))
struct SpanExporterTests {
    /// A collector with scripted outcomes, the last of which stays; keeps the names of the spans that it was sent.
    private final class ScriptedCollector: Sendable {
        private let outcomes: Mutex<[SpanExporter.Outcome]>
        private let seen = Mutex<[[String]]>([])
        /// The names in each request.
        var requests: [[String]] { seen.withLock { $0 } }

        init(_ outcomes: [SpanExporter.Outcome]) { self.outcomes = Mutex(outcomes) }

        func take(_ document: [UInt8]) -> SpanExporter.Outcome {
            let json = try? JSONSerialization.jsonObject(with: Data(document)) as? [String: [[String: Any]]]
            let scopes = json?["resourceSpans"]?.first?["scopeSpans"] as? [[String: Any]]
            let spans = scopes?.first?["spans"] as? [[String: Any]] ?? []
            seen.withLock { $0.append(spans.compactMap { $0["name"] as? String }) }
            return outcomes.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        }
    }

    private let queue = SpanQueue(capacity: 2000)
    private let clock = TestClock()
    private let origin = SpanOrigin(service: "depth-analyzer", instance: "i", version: "1")
    private let logger = Logger.quiet

    private func fill(_ names: Range<Int>) {
        for name in names { queue.add(Span(String(name), .server, TraceContext(), parent: nil, since: .now, attributes: [])) }
    }

    private func exporter(_ collector: ScriptedCollector) -> SpanExporter {
        SpanExporter(queue, from: origin, clock: clock, logger: logger) { collector.take($0) }
    }

    @Test("go in batches, in their order, and once")
    func batches() async throws {
        fill(0..<1200)
        let collector = ScriptedCollector([.taken])
        try await shutDown(exporter(collector)) { [queue] in queue.count == 0 }
        #expect(collector.requests.map(\.count) == [512, 512, 176])
        #expect(collector.requests.flatMap(\.self) == (0..<1200).map(String.init))
    }

    @Test("are sent again, each time after a longer wait, while the collector is away for a moment")
    func again() async throws {
        fill(0..<3)
        let collector = ScriptedCollector([.away("503"), .away("503"), .taken])
        try await shutDown(exporter(collector)) { [queue] in queue.count == 0 }
        #expect(collector.requests == Array(repeating: ["0", "1", "2"], count: 3))
        #expect(clock.sleeps.prefix(2).map { $0 < .milliseconds(200) } == [true, true])
    }

    @Test("are dropped when it stays away, so that later ones find room")
    func away() async throws {
        fill(0..<600)
        let collector = ScriptedCollector(Array(repeating: .away("connection refused"), count: 5) + [.taken])
        try await shutDown(exporter(collector)) { [queue] in queue.count == 0 }
        #expect(collector.requests.map(\.count) == [512, 512, 512, 512, 512, 88])
    }

    @Test("are not sent again after a refusal")
    func refused() async throws {
        fill(0..<600)
        let collector = ScriptedCollector([.refused("400"), .taken])
        try await shutDown(exporter(collector)) { [queue] in queue.count == 0 }
        #expect(collector.requests.map(\.count) == [512, 88])
    }

    @Test("are sent at shutdown, what was being sent as well")
    func shutdown() async throws {
        let collector = ScriptedCollector([.taken])
        let isSending = Mutex(false)
        fill(0..<5)
        let exporter = SpanExporter(queue, from: origin, clock: clock, logger: logger) { document in
            let isFirst = isSending.withLock { sending in
                defer { sending = true }
                return !sending
            }
            guard isFirst else { return collector.take(document) }
            do { try await Task.sleep(for: .seconds(60)) } catch { return .away("cancelled") }
            return .taken
        }
        try await shutDown(exporter, when: { isSending.withLock { $0 } })
        #expect(collector.requests == [["0", "1", "2", "3", "4"]] && queue.count == 0)
    }

    @Test("do not hold up the shutdown when the collector does not respond")
    func stuck() async throws {
        fill(0..<5)
        let calls = Mutex(0)
        let exporter = SpanExporter(queue, from: origin, clock: clock, logger: logger) { _ in
            calls.withLock { $0 += 1 }
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
            return .away("cancelled")
        }
        let start = ContinuousClock.now
        try await shutDown(exporter, when: { calls.withLock { $0 } == 1 })
        #expect(ContinuousClock.now - start < .seconds(30) && calls.withLock { $0 } == 2)
    }

    @Test("find a closed port to be an absence")
    func closedPort() async throws {
        let collector = SpanCollector(try #require(URL(string: "http://127.0.0.1:9/v1/traces")))
        let outcome = await collector.take([])
        guard case .away = outcome else {
            Issue.record("\(outcome)")
            return
        }
        try await collector.client.shutdown()
    }
}

@Suite("Settings of spans")
struct TracingSettingsTests {
    @Test("have an endpoint below the general one, or one of their own")
    func endpoints() throws {
        func endpoint(_ variables: [String: String]) throws -> String? {
            try TracingSettings.read(ServiceEnvironment(variables))?.endpoint.absoluteString
        }
        #expect(try endpoint([:]) == nil)
        #expect(try endpoint(["OTEL_EXPORTER_OTLP_ENDPOINT": " "]) == nil)
        #expect(try endpoint(["OTEL_SERVICE_NAME": "a", "OTEL_TRACES_SAMPLER_ARG": "0.5"]) == nil)
        #expect(try endpoint(["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"]) == "http://collector:4318/v1/traces")
        #expect(try endpoint(["OTEL_EXPORTER_OTLP_ENDPOINT": "https://c.example/otlp/"]) == "https://c.example/otlp/v1/traces")
        let both = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://a:1", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://b:2/mine"]
        #expect(try endpoint(both) == "http://b:2/mine")
    }

    @Test("sample all traces unless told otherwise")
    func ratios() throws {
        let endpoint = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"]
        let plain = try #require(try TracingSettings.read(ServiceEnvironment(endpoint)))
        #expect(plain.ratio == .all && plain.serviceName == nil)
        let some = try TracingSettings.read(
            ServiceEnvironment(endpoint.merging(["OTEL_TRACES_SAMPLER_ARG": "0.25", "OTEL_SERVICE_NAME": "a"]) { $1 }))
        #expect(some?.ratio == SamplingRatio(0.25) && some?.serviceName == "a")
    }

    @Test("have the headers of the signal, or else the general ones")
    func headers() throws {
        func headers(_ variables: [String: String]) throws -> [String]? {
            let endpoint = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"]
            return try TracingSettings.read(ServiceEnvironment(endpoint.merging(variables) { $1 }))?.headers.map {
                "\($0.name): \($0.value.value)"
            }
        }
        #expect(try headers([:]) == [])
        let general = ["OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Basic%20YTpi==, x-tenant = a%2Cb"]
        #expect(try headers(general) == ["authorization: Basic YTpi==", "x-tenant: a,b"])
        #expect(try headers(general.merging(["OTEL_EXPORTER_OTLP_TRACES_HEADERS": "x-only="]) { $1 }) == ["x-only: "])
    }

    @Test(
        "show no header that they refuse",
        arguments: [
            "secret", "=secret", "a b=secret", "a=secret%0D%0Ax: 1", "a=secret%", "host=secret", "a=secret,b", "ä=secret", "a=secretä",
        ])
    func refusedHeaders(text: String) throws {
        let variables = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_EXPORTER_OTLP_HEADERS": text]
        let error = try #require(throws: SettingsError.self) { try TracingSettings.read(ServiceEnvironment(variables)) }
        #expect(error.variable == "OTEL_EXPORTER_OTLP_HEADERS" && !error.description.contains("secret"))
    }

    @Test(
        "are refused by the name of the variable",
        arguments: [
            ("OTEL_TRACES_SAMPLER_ARG", "2"), ("OTEL_TRACES_SAMPLER_ARG", "half"), ("OTEL_TRACES_SAMPLER_ARG", "nan"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"), ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "grpc://collector"),
        ])
    func refused(variable: String, value: String) throws {
        let variables = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"].merging([variable: value]) { $1 }
        let error = try #require(throws: SettingsError.self) { try TracingSettings.read(ServiceEnvironment(variables)) }
        #expect(error.variable == variable)
    }
}
