import CaptureProtocol
import Foundation
import Models
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("Traces", .timeLimit(.minutes(8)))
    struct Traces {
        /// Runs the work while all services send their spans to an endpoint, and then as before.
        private func tracing(to endpoint: String, _ work: () async throws -> Void) async throws {
            let stack = try LocalStack.required()
            for service in ServiceName.allCases {
                try await stack.control(
                    "restart", service.rawValue,
                    settings: ["OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_EXPORTER_OTLP_HEADERS": StubCollector.headers])
            }
            let result: Result<Void, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            for service in ServiceName.allCases { try await stack.control("restart", service.rawValue) }
            try result.get()
        }

        /// Sends a capture in a trace.
        private func capture(_ client: TestClient, in traceparent: String) async throws -> String {
            var device = try await client.device()
            let form = try client.soundForm(&device, CaptureParts())
            let answer = try await client.submit(&device, form) { headers, _ in
                headers.append(("traceparent", traceparent))
            }
            #expect(answer.status == 201)
            return try #require(answer.data["capture_id"] as? String)
        }

        private func trace() -> String {
            String((UUID().uuidString + UUID().uuidString).lowercased().filter { $0 != "-" }.prefix(32))
        }

        @Test("one trace goes from the upload's request through all services to the evidence")
        func whole() async throws {
            let collector = StubCollector()
            let id = trace()
            let captured = Captured()
            try await collector.run { endpoint in
                try await self.tracing(to: endpoint) {
                    let client = try TestClient.current()
                    let capture = try await self.capture(client, in: "00-\(id)-00f067aa0ba902b7-01")
                    await captured.set(capture)
                    _ = try await client.settled(capture)
                    // The log enters statements of many captures at once: what it announces begins traces of its own.
                    try await eventually("the log got the evidence") {
                        try collector.spans().contains { $0.traceID == id && $0.name == "process \(Topic.evidenceAssembled)" }
                    }
                }
            }
            // What was left was sent at the restart.
            let spans = try collector.spans().filter { $0.traceID == id }
            let capture = await captured.id
            #expect(Set(spans.map(\.service)) == Set(ServiceName.allCases.map(\.rawValue)))

            let request = try #require(spans.first { $0.kind == 2 })
            #expect(request.service == "gateway" && request.name == "POST /api/v1/captures" && request.parentID == "00f067aa0ba902b7")
            #expect(
                request.attributes == [
                    "http.request.method": "POST", "http.route": "/api/v1/captures", "http.response.status_code": "201",
                ])

            // Each span but the request has its parent among them, which began before it.
            let byID = Dictionary(spans.map { ($0.spanID, $0) }) { _, last in last }
            #expect(byID.count == spans.count)
            for span in spans where span.spanID != request.spanID {
                let parent = try #require(byID[span.parentID], "\(span.name) of \(span.service)")
                #expect(parent.nanoseconds.lowerBound <= span.nanoseconds.lowerBound)
            }
            for (topic, from, to) in [
                (Topic.captureReceived, ServiceName.gateway, [ServiceName.attestationVerifier, .depthAnalyzer, .uploadSync]),
                (.attestationAppraised, .attestationVerifier, [.evidenceAssembler]), (.depthAnalyzed, .depthAnalyzer, [.evidenceAssembler]),
                (.mediaSynced, .uploadSync, [.evidenceAssembler]), (.evidenceAssembled, .evidenceAssembler, [.transparencyLog]),
            ] {
                #expect(spans.contains { $0.name == "create \(topic)" && $0.service == from.rawValue && $0.kind == 4 }, "\(topic)")
                #expect(spans.contains { $0.name == "send \(topic)" && $0.service == from.rawValue && $0.kind == 3 }, "\(topic)")
                for service in to {
                    let span = try #require(spans.first { $0.name == "process \(topic)" && $0.service == service.rawValue && $0.kind == 5 })
                    #expect(
                        span.attributes["rial.capture.id"] == capture && span.attributes["messaging.destination.name"] == topic.rawValue)
                }
            }

            // Statements and requests to the store are told below the work that they are for.
            for (service, work, calls) in [
                ("gateway", request.name, ["BEGIN", "INSERT captures", "COMMIT", "PUT /{bucket}/{key}"]),
                ("depth-analyzer", "process \(Topic.captureReceived)", ["GET /{bucket}/{key}", "PUT /{bucket}/{key}", "COMMIT"]),
                ("evidence-assembler", "process \(Topic.depthAnalyzed)", ["BEGIN", "COMMIT"]),
            ] {
                let span = try #require(spans.first { $0.service == service && $0.name == work })
                let names = Set(spans.filter { $0.parentID == span.spanID && $0.kind == 3 }.map(\.name))
                #expect(names.isSuperset(of: calls), "\(service): \(names.sorted())")
            }

            // Nothing tells who sent it, from where, or what it shows.
            let known: Set = [
                "http.request.method", "http.route", "http.response.status_code", "messaging.system", "messaging.operation.name",
                "messaging.operation.type", "messaging.destination.name", "messaging.message.id", "messaging.consumer.group.name",
                "messaging.destination.partition.id", "messaging.kafka.offset", "rial.capture.id", "error.type", "db.system.name",
                "db.operation.name", "db.query.summary", "url.template", "http.request.body.size",
            ]
            for span in try collector.spans() {
                #expect(Set(span.attributes.keys).isSubset(of: known), "\(span.name)")
                #expect(!span.attributes.values.contains { $0.contains("127.0.0.1") || $0.contains("45.76") })
                #expect(["/{bucket}", "/{bucket}/{key}"].contains(span.attributes["url.template", default: "/{bucket}"]))
            }
        }

        @Test("a collector that is away slows nothing, and what it misses is counted")
        func away() async throws {
            let stack = try LocalStack.required()
            // Nothing listens there.
            try await tracing(to: "http://127.0.0.1:9") {
                let client = try TestClient.current()
                // The first one waits for the services to have rejoined their groups.
                _ = try await client.settled(try await self.capture(client, in: "00-\(trace())-00f067aa0ba902b7-01"))
                let start = ContinuousClock.now
                let capture = try await capture(client, in: "00-\(trace())-00f067aa0ba902b7-01")
                _ = try await client.settled(capture)
                #expect(ContinuousClock.now - start < .seconds(30))
                for service in [ServiceName.gateway, .depthAnalyzer] {
                    try await eventually("\(service) dropped spans") {
                        let lines = try await stack.admin(service.rawValue, "/metrics").text.split(separator: "\n")
                        let line = lines.first { $0.hasPrefix("rial_spans_dropped_total{reason=\"collector_away\"} ") }
                        return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }.map { $0 > 0 } == true
                    }
                }
            }
        }
    }
}

/// The capture that a test sent.
private actor Captured {
    private(set) var id = ""
    func set(_ id: String) { self.id = id }
}
