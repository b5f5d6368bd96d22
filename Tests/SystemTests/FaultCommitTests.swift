import Foundation
import SimulatedDevice
import TestSupport
import Testing

/// A transaction of a service that is committed, while the response to COMMIT is lost.
struct LostCommit: Sendable, CustomTestStringConvertible {
    enum Trigger: Sendable { case registration, capture }

    let service: String
    /// Part of a statement that only this transaction runs.
    let statement: String
    var trigger = Trigger.capture
    /// Whether it is included in the short run.
    var isShort = true

    var testDescription: String { "\(service): \(statement)" }

    static let all: [LostCommit] =
        [
            LostCommit(service: "gateway", statement: "UPDATE challenges SET consumed_at", trigger: .registration),
            LostCommit(service: "gateway", statement: "INSERT INTO captures"),
            LostCommit(service: "attestation-verifier", statement: "INSERT INTO registrations", trigger: .registration),
            LostCommit(service: "attestation-verifier", statement: "INSERT INTO attestation_appraisals"),
            LostCommit(service: "depth-analyzer", statement: "INSERT INTO depth_analyses"),
            LostCommit(service: "upload-sync", statement: "INSERT INTO sync_jobs AS part (capture_id, result"),
            LostCommit(service: "evidence-assembler", statement: "UPDATE captures SET status = 'complete'"),
            LostCommit(service: "evidence-assembler", statement: "INSERT INTO evidence_parts", isShort: false),
        ]
        + LocalStack.services.map { service in
            LostCommit(service: service, statement: "DELETE FROM \(service.replacing("-", with: "_"))_outbox", isShort: false)
        }

    static let chosen = FaultTests.isFull ? all : all.filter(\.isShort)
}

extension FaultTests {
    @Suite("A lost answer to COMMIT")
    struct LostCommits {
        @Test("loses nothing and does nothing twice", .timeLimit(.minutes(6)), arguments: LostCommit.chosen)
        func lost(_ commit: LostCommit) async throws {
            let proxy = try FaultProxies.required().database(of: commit.service)
            var device = try await TestClient.current().device()
            let before = proxy.dropped
            defer { proxy.comeBack() }
            switch commit.trigger {
            case .registration:
                let registration = try await FaultRegistration()
                proxy.loseCommit(of: commit.statement)
                let sent = try await registration.sent()
                sent.expectOnlyRetryLater(commit.testDescription)
                #expect(proxy.dropped == before + 1)
                #expect(try await registration.sent().value.deviceID == sent.value.deviceID)
                try await registration.expectOne(in: .required(), commit.testDescription)
            case .capture:
                let capture = try FaultCapture(&device)
                proxy.loseCommit(of: commit.statement)
                let sent = try await capture.sent()
                sent.expectOnlyRetryLater(commit.testDescription)
                try await eventually("the answer was lost") { proxy.dropped == before + 1 }
                try await expectWhole(capture, sent.value.id, commit.testDescription)
            }
        }

        @Test(
            "and then a database that is away leave an accepted capture its bytes, whether or not its device asks again",
            .timeLimit(.minutes(6)), arguments: FaultTests.isFull ? [true, false] : [false])
        func lostAndAway(asksAgain: Bool) async throws {
            let stack = try LocalStack.required()
            let proxy = try FaultProxies.required().database(of: "gateway")
            var device = try await TestClient.current().device()
            let capture = try FaultCapture(&device)
            let before = proxy.dropped
            defer { proxy.comeBack() }
            proxy.loseCommit(of: "INSERT INTO captures", staysAway: true)
            var own = capture.device
            // The gateway cannot find out whether the row was committed.
            let answer = try await TestClient.current().submit(&own, capture.form)
            #expect(answer.status == 503)
            #expect(proxy.dropped == before + 1)
            proxy.comeBack()
            let owner = try #require(device.deviceID)
            let ids = try await stack.sql("SELECT id FROM captures WHERE device_id = '\(owner)'")
            #expect(ids.count == 1)
            let id = try #require(ids.first)
            if asksAgain {
                let again = try await capture.sent()
                #expect(again.value.id == id && again.value.status == 200)
            }
            try await expectWhole(capture, id, "asks again: \(asksAgain)")
        }

        /// Expects that the capture is complete exactly once, with the bytes that were sent, and that a repeated upload finds it.
        private func expectWhole(_ capture: FaultCapture, _ id: String, _ what: String) async throws {
            let stack = try LocalStack.required()
            try await stack.expectWhole([id], of: capture.device, what)
            try await capture.expectOriginal(of: id, in: stack)
            let again = try await capture.sent()
            #expect(again.value.id == id && again.value.status == 200, "\(what)")
            #expect(try await TestClient.current().show(id).data["status"] as? String == "complete", "\(what)")
        }
    }
}
