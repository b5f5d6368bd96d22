import Foundation
import SimulatedDevice
import Testing

/// Service roles with read-only transactions, as after a fail-over to a standby.
struct ReadOnlyRoles: Sendable, CustomTestStringConvertible {
    let services: [String]
    var testDescription: String { services.count == 1 ? services[0] : "all" }

    static let chosen: [ReadOnlyRoles] =
        [ReadOnlyRoles(services: LocalStack.services)]
        + (FaultTests.isFull ? LocalStack.services.map { ReadOnlyRoles(services: [$0]) } : [])

    private static func role(of service: String) -> String { "rial_" + service.replacing("-", with: "_") }

    /// Ends the connections too, since they keep the setting with which they were opened.
    func set(_ isReadOnly: Bool, in stack: LocalStack) async throws {
        for role in services.map(Self.role) {
            _ = try await stack.sql(
                isReadOnly
                    ? "ALTER ROLE \(role) SET default_transaction_read_only = on" : "ALTER ROLE \(role) RESET default_transaction_read_only"
            )
            _ = try await stack.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '\(role)'")
        }
    }
}

extension FaultTests {
    @Suite("A database that is read-only for 15 s")
    struct ReadOnly {
        @Test(
            "loses no key and no capture, shows in readiness, and gives clients 503", .timeLimit(.minutes(8)),
            arguments: ReadOnlyRoles.chosen)
        func readOnly(_ roles: ReadOnlyRoles) async throws {
            let stack = try LocalStack.required()
            let registration = try await FaultRegistration()
            let captures = try await CapturesAroundFault()
            let (registered, sent) = try await during(.seconds(15)) {
                try await roles.set(true, in: stack)
            } end: {
                try await roles.set(false, in: stack)
            } seen: {
                for service in roles.services {
                    try await stack.expect(service, "database", isUp: false, within: .seconds(60))
                    #expect(try await stack.admin(service, "/livez").status == 200)
                }
            } work: {
                async let registered = registration.sent(within: .seconds(150))
                async let first = captures.late[0].sent(within: .seconds(150))
                async let second = captures.late[1].sent(within: .seconds(150))
                return (try await registered, [try await first, try await second])
            }
            registered.expectOnlyRetryLater("registration, \(roles.testDescription)")
            for capture in sent { capture.expectOnlyRetryLater("capture, \(roles.testDescription)") }
            for service in LocalStack.services { try await stack.expect(service, "database", isUp: true, within: .seconds(60)) }
            try await registration.expectOne(in: stack, roles.testDescription)
            #expect(try await registration.sent().value.deviceID == registered.value.deviceID)
            try await stack.expectWhole(captures.ids + sent.map(\.value.id), of: captures.device, roles.testDescription)
        }
    }
}
