import Foundation
import Logging
import Messaging
import Models
import SimulatedDevice
import Testing

extension SystemTests {
    @Suite("What must hold while parts fail")
    struct Recovery {
        /// Every point between two effects of a capture's way; the short run takes one a service.
        static let points: [(service: String, point: String)] = {
            let all = [
                ("attestation-verifier", "attestation-verifier.counter.consumed"), ("depth-analyzer", "depth-analyzer.committed"),
                ("upload-sync", "upload-sync.copied"), ("evidence-assembler", "evidence-assembler.completed"),
                ("gateway", "gateway.capture.committed"),
            ]
            let rest = [
                ("attestation-verifier", "attestation-verifier.stored"), ("attestation-verifier", "attestation-verifier.announced"),
                ("attestation-verifier", "attestation-verifier.committed"),
                ("attestation-verifier", "attestation-verifier.relay.published"), ("depth-analyzer", "depth-analyzer.fetched"),
                ("depth-analyzer", "depth-analyzer.preview"), ("depth-analyzer", "depth-analyzer.stored"),
                ("depth-analyzer", "depth-analyzer.announced"), ("depth-analyzer", "depth-analyzer.relay.published"),
                ("upload-sync", "upload-sync.original"), ("upload-sync", "upload-sync.stored"),
                ("upload-sync", "upload-sync.announced"), ("upload-sync", "upload-sync.committed"),
                ("upload-sync", "upload-sync.relay.published"), ("evidence-assembler", "evidence-assembler.part.stored"),
                ("evidence-assembler", "evidence-assembler.exif"), ("evidence-assembler", "evidence-assembler.announced"),
                ("evidence-assembler", "evidence-assembler.committed"), ("gateway", "gateway.capture.intake"),
                ("gateway", "gateway.capture.inserted"), ("gateway", "gateway.capture.announced"),
                ("gateway", "gateway.relay.published"),
            ]
            return ProcessInfo.processInfo.environment["RIAL_TEST_FAULTS"] == "full" ? all + rest : all
        }()

        /// Sends until there is an answer, as a device on a bad network does.
        private func sendUntilAnswered(_ client: TestClient, _ device: inout SimulatedDevice, _ form: [FormPart]) async throws -> String {
            let deadline = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < deadline {
                if let answer = try? await client.submit(&device, form), [200, 201].contains(answer.status) {
                    return try #require(answer.data["capture_id"] as? String)
                }
                try await Task.sleep(for: .milliseconds(200))
            }
            throw DeadlinePassed(what: "an answer")
        }

        private func form(_ device: inout SimulatedDevice) throws -> [FormPart] {
            let parts = try CaptureParts()
            let digests = parts.digests
            return parts.form(assertion: try device.captureAssertion(
                photoDigest: digests.photo, depthDigest: digests.depth, metadataDigest: digests.metadata))
        }

        /// One row, complete, HIGH, each medium named once, one counter.
        private func expectWhole(_ id: String, _ device: SimulatedDevice, _ what: String) async throws {
            let stack = try #require(LocalStack.current)
            let answer = try await TestClient(url: stack.url).settled(id, within: .seconds(90))
            #expect(answer.data["confidence_level"] as? String == "high", "\(what)")
            let owner = try #require(device.deviceID)
            #expect(try await stack.sql("SELECT count(*) FROM captures WHERE device_id = '\(owner)'") == ["1"], "\(what)")
            #expect(try await stack.sql("SELECT count(*) FROM assertion_counters WHERE capture_id = '\(id)'") == ["1"], "\(what)")
            #expect(try await stack.sql("SELECT count(*) FROM evidence_parts WHERE capture_id = '\(id)' AND outcome = 'done'") == ["3"])
        }

        @Test("a service killed between two effects loses nothing and does nothing twice", arguments: points.map(\.point))
        func killed(point: String) async throws {
            let stack = try #require(LocalStack.current)
            let client = try TestClient.current()
            let service = try #require(Self.points.first { $0.point == point }?.service)
            var device = try await client.device()
            let form = try form(&device)
            let armed = stack.failPoints.appendingPathComponent(point)
            try Data().write(to: armed)
            let template = device
            async let accepted = {
                var own = template
                return try await sendUntilAnswered(client, &own, form)
            }()
            // The point removes its file right before it ends the process.
            try await eventually("\(point) was reached") { !FileManager.default.fileExists(atPath: armed.path) }
            try await stack.control("start", service)
            try await expectWhole(try await accepted, device, point)
        }

        @Test("a broker that comes back empty loses no capture, and readiness shows it", .timeLimit(.minutes(4)))
        func brokerLost() async throws {
            let stack = try #require(LocalStack.current)
            let client = try TestClient.current()
            var device = try await client.device()
            let before = try form(&device)
            let first = try await sendUntilAnswered(client, &device, before)
            try await stack.control("kill", "broker")
            try await eventually("health shows the broker") {
                let answer = try await client.send("GET", "/health")
                return answer.status == 503 && answer.json["broker"] as? String == "unreachable"
            }
            let during = try form(&device)
            let id = try await sendUntilAnswered(client, &device, during)
            try await stack.control("start", "broker")
            for capture in [first, id] {
                let answer = try await client.settled(capture, within: .seconds(120))
                #expect(answer.data["confidence_level"] as? String == "high")
            }
            try await eventually("health is well again") { try await client.send("GET", "/health").status == 200 }
        }

        @Test("PostgreSQL restarted, the store away for a while: errors have codes, accepted captures complete", .timeLimit(.minutes(4)),
            arguments: ["postgres", "s3"])
        func dependencyAway(part: String) async throws {
            let stack = try #require(LocalStack.current)
            let client = try TestClient.current()
            var device = try await client.device()
            let first = try form(&device)
            let accepted = try await sendUntilAnswered(client, &device, first)
            try await stack.control("stop", part)
            let form = try form(&device)
            let refused = try await client.submit(&device, form)
            #expect(refused.status == 503, "\(String(decoding: refused.body, as: UTF8.self))")
            #expect(refused.errorCode == (part == "s3" ? "STORAGE_ERROR" : "SERVICE_UNAVAILABLE"))
            try await eventually("health shows \(part)") { try await client.send("GET", "/health").status == 503 }
            try await stack.control("start", part)
            let later = try await sendUntilAnswered(client, &device, form)
            for id in [accepted, later] {
                let answer = try await client.settled(id, within: .seconds(120))
                #expect(answer.data["confidence_level"] as? String == "high")
            }
        }

        @Test("records that can never succeed become dead letters, and those behind them go on", .timeLimit(.minutes(3)))
        func poison() async throws {
            let stack = try #require(LocalStack.current)
            let client = try TestClient.current()
            let kafka = KafkaConfiguration(brokers: try #require(stack.addresses["RIAL_KAFKA_BROKERS"]), clientID: "tests")
            let producer = try KafkaProducer(kafka, logger: Logger(label: "tests"))
            for value in [Array("garbage".utf8), nil] {
                try await producer.send(topic: Topic.captureReceived.rawValue, key: Array("poison".utf8), value: value, headers: [])
            }
            var device = try await client.device()
            let good = try await client.capture(&device, CaptureParts())
            #expect(try await client.settled(good).data["confidence_level"] as? String == "high")
            let reader = KafkaTopicReader(kafka)
            for service in ["attestation-verifier", "depth-analyzer", "upload-sync"] {
                let topic = Topic.captureReceived.deadLetters(of: service).rawValue
                try await eventually("\(service) has its dead letters") {
                    let letters = try await reader.read(topic: topic, limit: 100)
                    let reasons = Set(letters.compactMap { $0.header("rial_dlq_reason") })
                    return reasons.isSuperset(of: ["tombstone", "no_event_id"])
                }
            }
        }

        @Test("every record delivered again, under its own id and under new ones, changes nothing", .timeLimit(.minutes(3)))
        func deliveredAgain() async throws {
            let stack = try #require(LocalStack.current)
            let client = try TestClient.current()
            var device = try await client.device()
            let id = try await client.capture(&device, CaptureParts())
            _ = try await client.settled(id)
            let query = "SELECT md5(evidence::text), completed_at FROM captures WHERE id = '\(id)'"
            let before = try await stack.sql(query)
            let kafka = KafkaConfiguration(brokers: try #require(stack.addresses["RIAL_KAFKA_BROKERS"]), clientID: "tests")
            let producer = try KafkaProducer(kafka, logger: Logger(label: "tests"))
            let reader = KafkaTopicReader(kafka)
            for topic in [Topic.mediaSynced, .depthAnalyzed, .attestationAppraised, .captureReceived] {
                let records = try await reader.read(topic: topic.rawValue, limit: 1000).filter { $0.key == Array(id.utf8) }
                #expect(!records.isEmpty)
                for record in records.reversed() {
                    try await producer.send(topic: topic.rawValue, key: record.key, value: record.value, headers: record.headers)
                    let headers = record.headers.map { header in
                        header.name == "ce_id" ? KafkaHeader(name: "ce_id", value: Array(UUID().uuidString.lowercased().utf8)) : header
                    }
                    try await producer.send(topic: topic.rawValue, key: record.key, value: record.value, headers: headers)
                }
            }
            // A later capture of the same device has gone the same way behind them.
            _ = try await client.settled(client.capture(&device, CaptureParts()))
            #expect(try await stack.sql(query) == before)
            #expect(try await stack.sql("SELECT count(*) FROM evidence_parts WHERE capture_id = '\(id)'") == ["3"])
        }
    }
}
