import Foundation
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("A capture withdrawn while a service has it in hand")
    struct WithdrawalFaults {
        /// Every point of the pipeline with `RIAL_TEST_FAULTS=full`, else one of each service.
        static let points: [FaultPoint] = {
            let all = FaultPoint.all.filter { point in
                point.trigger == .capture
                    && (point.service != "gateway" || ["gateway.capture.committed", "gateway.relay.published"].contains(point.name))
            }
            if FaultTests.isFull { return all }
            let short = [
                "gateway.relay.published", "attestation-verifier.counter.consumed", "depth-analyzer.preview", "upload-sync.compared",
                "evidence-assembler.signed",
            ]
            return all.filter { short.contains($0.name) }
        }()

        @Test("which dies there and comes back, leaves nothing", .timeLimit(.minutes(6)), arguments: points)
        func killed(at point: FaultPoint) async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            let capture = try TellingCapture(&device)
            let armed = stack.failPoints.appendingPathComponent(point.name)
            try Data().write(to: armed)
            defer { try? FileManager.default.removeItem(at: armed) }
            let sent = device
            async let first = { () async -> String? in
                var own = sent
                return (try? await client.submit(&own, capture.form))?.data["capture_id"] as? String
            }()
            try await eventually("\(point.name) was reached") { !FileManager.default.fileExists(atPath: armed.path) }
            try await stack.control("kill", point.service)
            let isGateway = point.service == "gateway"
            if isGateway { try await stack.control("start", point.service) }
            var id = await first
            if id == nil {
                // The answer was lost with the gateway; the same upload finds the capture.
                var own = device
                try await eventually("the capture is found") {
                    id = (try? await client.submit(&own, capture.form))?.data["capture_id"] as? String
                    return id != nil
                }
            }
            let capturedID = try #require(id)
            let answer = try await client.withdraw(capturedID, &device)
            #expect(answer.status == 204, "\(answer.text)")
            if !isGateway { try await stack.control("start", point.service) }
            try await stack.expectHandled(capturedID)
            APIRefusal.gone.expectEnvelope(try await client.show(capturedID))
            try await stack.expectErased(capturedID, capture, point.name)
            let letters = try await stack.sql(
                "SELECT count(*) FROM assertion_counters WHERE capture_id = '\(capturedID)'")
            #expect(["0", "1"].contains(letters.first ?? ""), "\(point.name)")
        }

        @Test("whose upload the gateway could not answer, is found by its device and leaves nothing", .timeLimit(.minutes(6)))
        func unanswered() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            let capture = try TellingCapture(&device)
            var body = try await ResumableBody(client, device: device, form: capture.form)
            let path = try await body.created(at: client)
            let bytes = body.bytes
            let point = try #require(FaultPoint.all.first { $0.name == "gateway.upload.recorded" })
            try await stack.killing(at: point) { _ = try? await client.append(bytes, to: path, at: 0, isComplete: true) }
            // Who cancels it is not told that there is nothing.
            APIRefusal.uploadCompleted.expectEnvelope(try await client.send("DELETE", path))
            let known = try await client.send(
                "POST", TestClient.captures, headers: body.creation(isComplete: false) + [("Content-Length", "0")])
            #expect(known.status == 200, "\(known.text)")
            let id = try #require(known.data["capture_id"] as? String)
            let answer = try await client.withdraw(id, &device)
            #expect(answer.status == 204, "\(answer.text)")
            try await stack.expectHandled(id)
            APIRefusal.gone.expectEnvelope(try await client.show(id))
            try await stack.expectErased(id, capture, point.name)
        }
    }
}
