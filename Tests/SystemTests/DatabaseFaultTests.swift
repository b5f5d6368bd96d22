import Foundation
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    /// During a fail-over, a migration's lock or while a right is missing, clients get 503: neither a client error nor status 500.
    @Suite("A database that refuses for a while")
    struct DatabaseFaults {
        enum Fault: String, Sendable, CaseIterable {
            case readOnly, locked

            var begin: String? {
                switch self {
                case .readOnly: "ALTER ROLE rial_gateway SET default_transaction_read_only = on"
                case .locked: nil
                }
            }

            static let end = ["ALTER ROLE rial_gateway RESET default_transaction_read_only"]
        }

        @Test("gives 503 with Retry-After until it recovers", .timeLimit(.minutes(6)), arguments: Fault.allCases)
        func refused(fault: Fault) async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            try await Self.apply([fault.begin].compactMap { $0 }, stack)
            let result: Result<Void, any Error>
            do {
                switch fault {
                case .readOnly: try await Self.expectRefusals(client, &device, "\(fault)")
                case .locked: try await Self.locked(stack) { try await Self.expectRefusals(client, &device, "\(fault)") }
                }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            try await Self.apply(Fault.end, stack)
            try result.get()
            try await eventually("the service is as before") {
                try await client.send("GET", "/api/v1/devices/challenge").status == 200
            }
            #expect(try await client.submit(&device, CaptureParts().form(assertion: nil)).status == 201)
        }

        private static func expectRefusals(_ client: TestClient, _ device: inout SimulatedDevice, _ what: String) async throws {
            async let challenge = client.send("GET", "/api/v1/devices/challenge")
            let upload = try await client.submit(&device, CaptureParts().form(assertion: nil))
            for answer in [try await challenge, upload] {
                APIRefusal.serviceUnavailable.expectEnvelope(answer, what)
                #expect(Int(answer.headers["retry-after"] ?? "") != nil)
            }
        }

        /// Runs `work` while the tables that all requests of this test need are locked: until it is done, however long a session's lock
        /// timeout is on a slow machine.
        private static func locked(_ stack: LocalStack, _ work: () async throws -> Void) async throws {
            let name = "database-fault"
            async let held = try? await stack.sql(
                "SET application_name = '\(name)'; BEGIN; LOCK TABLE challenges, captures; SELECT pg_sleep(170); COMMIT")
            let result: Result<Void, any Error>
            do {
                try await eventually("the lock is held") {
                    try await stack.sql(
                        """
                        SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted
                        AND relation IN ('challenges'::regclass, 'captures'::regclass)
                        """) == ["2"]
                }
                try await work()
                result = .success(())
            } catch {
                result = .failure(error)
            }
            _ = try await stack.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(name)'")
            _ = await held
            try result.get()
        }

        /// Applies the statements and ends existing sessions, since only new sessions get a role's settings.
        private static func apply(_ statements: [String], _ stack: LocalStack) async throws {
            for statement in statements { _ = try await stack.sql(statement) }
            _ = try await stack.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'rial_gateway'")
        }
    }
}
