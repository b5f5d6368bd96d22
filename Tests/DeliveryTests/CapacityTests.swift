import Models
import Testing

@testable import ServiceRuntime

@Suite("What an instance needs of PostgreSQL and the topics")
struct CapacityTests {
    private func warnings(free: Int, partitions: [Topic: Int] = [.captureReceived: 6], consumers: Int = 2) -> [String] {
        Capacity(freeConnections: free, partitions: partitions).warnings(connections: 10) { $0 == .videoReceived ? 1 : consumers }
    }

    @Test("enough of both needs no words")
    func enough() {
        #expect(warnings(free: 10).isEmpty && warnings(free: 10, partitions: [.captureReceived: 2, .videoReceived: 1]).isEmpty)
    }

    @Test("too few connections are said with both numbers")
    func connections() {
        #expect(warnings(free: 9) == ["PostgreSQL has room for 9 more connections, this instance opens up to 10"])
        #expect(warnings(free: -3) == ["PostgreSQL has room for 0 more connections, this instance opens up to 10"])
    }

    @Test("consumers that would never get a partition are said by topic")
    func partitions() {
        let said = warnings(free: 50, partitions: [.videoReceived: 1, .captureReceived: 3], consumers: 4)
        #expect(said == ["\(Topic.captureReceived.rawValue) has 3 partitions for 4 consumers of this instance alone"])
    }
}
