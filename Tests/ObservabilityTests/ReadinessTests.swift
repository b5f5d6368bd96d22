import Foundation
import Logging
import Synchronization
import Testing

@testable import Observability

@Suite("Readiness")
struct ReadinessTests {
    @Test("is true while every dependency responds, and names the ones that do not", .timeLimit(.minutes(1)))
    func follows() async throws {
        let isUp = Mutex(true)
        let probe: Readiness.Probe = { isUp.withLock { $0 } }
        let readiness = Readiness(probes: [("database", { true }), ("broker", probe)], logger: Logger(label: "test"))
        #expect(!readiness.isReady, "nothing was asked yet")
        let running = Task { try await readiness.run() }
        defer { running.cancel() }
        try await until { readiness.isReady }
        isUp.withLock { $0 = false }
        try await until { !readiness.isReady }
        #expect(readiness.dependencies == ["database": true, "broker": false])
        isUp.withLock { $0 = true }
        try await until { readiness.isReady }
    }

    @Test("a probe that hangs counts as down", .timeLimit(.minutes(1)))
    func hangs() async throws {
        let readiness = Readiness(
            probes: [("stuck", { (try? await Task.sleep(for: .seconds(60))) != nil })], logger: Logger(label: "test"))
        let running = Task { try await readiness.run() }
        defer { running.cancel() }
        try await until { readiness.dependencies["stuck"] == false }
        #expect(!readiness.isReady)
    }

    private func until(_ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while !condition() {
            try #require(ContinuousClock.now < deadline, "not in time")
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
