@testable import Gateway

/// The repositories in memory.
struct MemoryRig: GatewayRig {
    private let held = MemoryTokenBuckets()

    func buckets(atMost rows: Int) -> any TokenBuckets {
        held.allow(rows: rows)
        return held
    }
    var otherBuckets: any TokenBuckets { held }
    func ageBuckets(by seconds: Double) async throws { held.age(by: seconds) }
    func bucketNames() async throws -> Set<String> { held.names }
}
