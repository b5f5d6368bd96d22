import Foundation
import TestSupport
import Testing

/// Tests the services with dependencies that return errors, revoke rights or hold locks: a stack with a proxy between each service and
/// PostgreSQL, and one in front of the object store.
@Suite(
    "Faults between the services and what they stand on", .serialized,
    .enabled(if: LocalStack.isAvailable, "the services or the local stack's tools are not built"), .faultStack)
enum FaultTests {
    /// With `RIAL_TEST_FAULTS=full` (`make test-faults`) each fault is combined with each service, table and status; else each kind is
    /// tested once.
    static let isFull = ProcessInfo.processInfo.environment["RIAL_TEST_FAULTS"] == "full"

    /// How much of an upload may be sent twice: a little, what a killed gateway had in memory, and, on a machine that has other tests to
    /// run, what lay in a socket at a cut and no gateway had read when the other one went on.
    static func resent(of bytes: Int, cuts: Int, kills: Int) -> Int { bytes / 50 + kills << 20 + (isFull ? 0 : cuts << 17) }
}

/// The proxies between the services of a stack and its dependencies.
struct FaultProxies: Sendable {
    @TaskLocal static var current: FaultProxies?
    let databases: [String: PostgresProxy]
    let store: StoreProxy

    static func required() throws -> FaultProxies { try #require(current) }

    /// - Parameter stack: the name of a stack, which may be started later.
    init(stack: String) throws {
        let port = { @Sendable (name: String) in (try? LocalStack.values(in: "ports", of: stack))?["PORT_\(name)"].flatMap { Int($0) } }
        databases = try Dictionary(
            uniqueKeysWithValues: LocalStack.services.map { ($0, try PostgresProxy(to: { port("POSTGRES") })) })
        store = try StoreProxy(to: { port("S3") })
    }

    func database(of service: String) throws -> PostgresProxy { try #require(databases[service]) }

    /// The settings that make the services use the proxies.
    var settings: [String: String] {
        var settings = ["RIAL_S3_ENDPOINT": "http://127.0.0.1:\(store.port)"]
        for (service, proxy) in databases {
            settings["RIAL_TEST_DATABASE_PORT_" + service.uppercased().replacing("-", with: "_")] = "\(proxy.port)"
        }
        return settings
    }
}

/// Starts the stack of the fault tests before a suite and stops it afterwards.
struct FaultStackTrait: SuiteTrait, TestScoping {
    var isRecursive: Bool { false }

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        guard LocalStack.isAvailable else { return try await function() }
        let own = LocalStackTrait.localStack("faults", [:]).name
        let proxies = try FaultProxies(stack: own)
        let settings = [
            "RIAL_LIMIT_CHALLENGES_PER_MINUTE": "0", "RIAL_LIMIT_REGISTRATIONS_PER_MINUTE": "0", "RIAL_LIMIT_CAPTURES_PER_HOUR": "0",
            "RIAL_MAX_UPLOADS_PER_DEVICE": "0", "RIAL_MAX_UPLOADS_PER_ADDRESS": "0", "RIAL_ANNOUNCE_AGAIN_SECONDS": "2",
        ]
        let stack = LocalStackTrait(name: own, settings: settings.merging(proxies.settings) { _, new in new })
        try await FaultProxies.$current.withValue(proxies) {
            try await stack.provideScope(for: test, testCase: testCase, performing: function)
        }
    }
}

extension Trait where Self == FaultStackTrait {
    static var faultStack: Self { Self() }
}
