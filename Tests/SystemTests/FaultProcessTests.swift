import Foundation
import Messaging
import Models
import TestSupport
import Testing

/// A record that kills its consumer's process on each delivery.
struct KillingRecord: Sendable, CustomTestStringConvertible {
    /// The fail point at which the process is killed.
    let point: String
    let service: ServiceName

    var testDescription: String { "\(service.rawValue).\(point)" }

    static let all = [
        KillingRecord(point: "fetched", service: .depthAnalyzer), KillingRecord(point: "copied", service: .uploadSync),
        KillingRecord(point: "counter.consumed", service: .attestationVerifier),
    ]
}

extension FaultTests {
    @Suite("A record that crashes its handler", .enabled(if: FaultTests.isFull, "in the long form (RIAL_TEST_FAULTS=full)"))
    struct KillingRecords {
        @Test(
            "is a dead letter after three deaths, its partition goes on, and it completes once what killed is mended",
            .timeLimit(.minutes(8)), arguments: KillingRecord.all)
        func kills(_ killing: KillingRecord) async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            let armed = stack.failPoints.appendingPathComponent(killing.testDescription)
            defer { try? FileManager.default.removeItem(at: armed) }
            try Data().write(to: armed)
            let id = try await FaultCapture(&device).accepted().id
            for death in 1...3 {
                // The point removes its file right before it ends the process; `kill` waits until it has ended.
                try await eventually("death \(death)") { !FileManager.default.fileExists(atPath: armed.path) }
                try await stack.control("kill", killing.service.rawValue)
                // On a fourth delivery there would be no file, and the record would be handled.
                if death < 3 { try Data().write(to: armed) }
                // It may be killed again while it starts, so an error of the start is ignored.
                try? await stack.control("start", killing.service.rawValue)
            }
            try? await stack.control("start", killing.service.rawValue)
            let letters = Topic.captureReceived.deadLetters(of: killing.service)
            try await eventually(within: .seconds(60), "the record was given up") {
                try await stack.records(of: letters, key: id).contains { $0.header("rial_dlq_reason") == "process_died" }
            }
            // Other records are not blocked.
            var others: [String] = []
            for _ in 0..<3 { others.append(try await FaultCapture(&device).accepted().id) }
            for other in others { _ = try await client.settled(other, within: .seconds(90)) }
            // Without the fail point the record is handled, by itself or after a manual re-drive.
            _ = try await stack.rial(["dlq", "redrive", "--capture", id])
            try await stack.expectWhole([id] + others, of: device, failedBefore: true, killing.testDescription)
        }
    }
}
