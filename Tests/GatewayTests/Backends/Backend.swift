import Testing

@testable import Gateway

/// The kind of the gateway's repositories.
enum Backend: String, CustomTestStringConvertible {
    case memory, postgres

    /// PostgreSQL only if it is configured.
    static var available: [Backend] { GatewayDatabase.isConfigured ? [.memory, .postgres] : [.memory] }

    var testDescription: String { rawValue }

    /// Runs a test over repositories that hold nothing yet.
    func with(_ body: @Sendable (any GatewayRig) async throws -> Void) async throws {
        switch self {
        case .memory: try await body(MemoryRig())
        case .postgres: try await GatewayDatabase.with(pools: 2) { try await body(PostgresRig(pools: $0)) }
        }
    }
}

/// The gateway's repositories over one backend, and the tests' access to that backend.
protocol GatewayRig: Sendable {
    /// - Parameter rows: how many buckets there may be.
    func buckets(atMost rows: Int) -> any TokenBuckets
    /// The same as another gateway has them.
    var otherBuckets: any TokenBuckets { get }
    /// As if all buckets had been used so many seconds earlier.
    func ageBuckets(by seconds: Double) async throws
    /// Limit and subject of each bucket that is there.
    func bucketNames() async throws -> Set<String>
}

extension GatewayRig {
    var buckets: any TokenBuckets { buckets(atMost: 1_000_000) }
}
