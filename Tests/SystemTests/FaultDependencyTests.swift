import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite("A dependency that goes away while captures are sent")
    struct FaultDependencies {
        enum Dependency: String, Sendable, CaseIterable {
            case broker, postgres, s3

            /// Its name in readiness, health and metrics.
            var name: String {
                switch self {
                case .broker: "broker"
                case .postgres: "database"
                case .s3: "storage"
                }
            }
            /// Killed, because the broker keeps its log in memory and restarts empty; other dependencies are stopped.
            var ending: String { self == .broker ? "kill" : "stop" }
        }

        @Test(
            "no accepted capture is lost, and readiness, health and metrics show it while it lasts", .timeLimit(.minutes(8)),
            arguments: Dependency.allCases)
        func away(_ dependency: Dependency) async throws {
            let stack = try LocalStack.required()
            var device = try await TestClient.current().device()
            var accepted: [String] = []
            for _ in 0..<3 { accepted.append(try await FaultCapture(&device).accepted().id) }
            // Without waiting: these three captures are still being processed.
            try await stack.control(dependency.ending, dependency.rawValue)
            let later = try [FaultCapture(&device), FaultCapture(&device)]
            async let acceptedLater = Self.accepted(later)
            do {
                for service in LocalStack.services { try await expect(service, dependency, isUp: false) }
                try await expectHealth(dependency, isUp: false)
            } catch {
                // Later tests need it, even if this test fails.
                try await stack.control("start", dependency.rawValue)
                throw error
            }
            try await stack.control("start", dependency.rawValue)
            accepted += try await acceptedLater
            for service in LocalStack.services { try await expect(service, dependency, isUp: true) }
            try await expectHealth(dependency, isUp: true)
            #expect(Set(accepted).count == 5)
            try await stack.expectWhole(accepted, of: device, lost: dependency == .broker, dependency.rawValue)
        }

        private static func accepted(_ captures: [FaultCapture]) async throws -> [String] {
            try await withThrowingTaskGroup(of: String.self) { group in
                for capture in captures { group.addTask { try await capture.accepted(within: .seconds(120)).id } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }

        /// Expects the service's readiness to report the dependency within a minute (SPEC §11).
        private func expect(_ service: String, _ dependency: Dependency, isUp: Bool) async throws {
            let stack = try LocalStack.required()
            try await eventually("\(service) sees that \(dependency.name) is \(isUp ? "back" : "away")") {
                let ready = try await stack.admin(service, "/readyz")
                let metrics = try await stack.admin(service, "/metrics").text
                let state = "\"\(dependency.name)\":\"\(isUp ? "connected" : "unreachable")\""
                return ready.status == (isUp ? 200 : 503) && ready.text.contains(state)
                    && metrics.contains("rial_dependency_up{dependency=\"\(dependency.name)\"} \(isUp ? 1 : 0)")
            }
            #expect(try await stack.admin(service, "/livez").status == 200, "\(service) lives on")
        }

        private func expectHealth(_ dependency: Dependency, isUp: Bool) async throws {
            let client = try TestClient.current()
            try await eventually("health says that \(dependency.name) is \(isUp ? "back" : "away")") {
                let answer = try await client.send("GET", "/health")
                return answer.status == (isUp ? 200 : 503) && answer.json["status"] as? String == (isUp ? "ok" : "degraded")
                    && answer.json[dependency.name] as? String == (isUp ? "connected" : "unreachable")
            }
        }
    }
}
