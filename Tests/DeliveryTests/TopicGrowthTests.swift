import Models
import Synchronization
import TestSupport
import Testing

@testable import Delivery

@Suite("Growing topics")
struct TopicGrowthTests {
    /// A cluster that tells what happens in it, in order.
    private final class Cluster: PartitionedTopics, PublishingGate {
        struct State {
            var partitions = Dictionary(uniqueKeysWithValues: Topic.all.map { ($0.rawValue, 3) })
            /// How often a group is found to be behind.
            var behind: [String: Int] = [:]
            var isClosed = false
            var isBroken = false
            var growths: [[String]] = []
        }
        let state = Mutex(State())

        func topics() async throws -> [String: Int] { state.withLock { $0.partitions } }

        func growTopics(_ names: [String], partitions: Int32) async throws {
            state.withLock { state in
                #expect(state.isClosed, "relays publish")
                #expect(state.behind.values.allSatisfy { $0 == 0 }, "records wait")
                state.growths.append(names)
                for name in names { state.partitions[name] = Int(partitions) }
            }
        }

        func uncommitted(of topic: String, partitions: Int, by group: String) async throws -> Int64 {
            state.withLock { state in
                #expect(state.isClosed, "more records can come")
                #expect(state.partitions[topic] == partitions)
                guard let times = state.behind[group], times > 0 else { return 0 }
                state.behind[group] = times - 1
                return 7
            }
        }

        func closed<Result: Sendable>(
            _ body: @Sendable (_ check: @Sendable () async throws -> Void) async throws -> Result
        ) async throws -> Result {
            state.withLock { $0.isClosed = true }
            defer { state.withLock { $0.isClosed = false } }
            return try await body { try self.state.withLock { if $0.isBroken { throw Hiccup() } } }
        }
    }

    private let cluster = Cluster()
    private let clock = TestClock()

    private func grow(to partitions: Int32, timeout: Duration = .seconds(60)) async throws -> [String] {
        try await TopicGrowth(topics: cluster, gate: cluster, clock: clock).run(partitions: partitions, timeout: timeout)
    }

    @Test("gives every topic that has fewer that many partitions, and no other")
    func grows() async throws {
        cluster.state.withLock { state in
            state.partitions[Topic.captureReceived.rawValue] = 8
            state.partitions[Topic.depthAnalyzed.rawValue] = nil
            state.partitions["somebody.else"] = 1
        }
        let expected = Topic.all.filter { $0 != .captureReceived && $0 != .depthAnalyzed }.map(\.rawValue)
        #expect(try await grow(to: 6) == expected)
        cluster.state.withLock { state in
            #expect(state.growths == [expected])
            #expect(state.partitions[Topic.captureReceived.rawValue] == 8 && state.partitions["somebody.else"] == 1)
        }
        #expect(try await grow(to: 6).isEmpty)
        cluster.state.withLock { #expect($0.growths.count == 1 && !$0.isClosed) }
    }

    @Test("publishes nothing until a record of a dead relay has arrived, and until producers know the new number")
    func waits() async throws {
        _ = try await grow(to: 6)
        #expect(clock.sleeps == [TopicGrowth.inFlight, TopicGrowth.metadataAge])
    }

    @Test("waits for every consumer group to handle what was published")
    func handled() async throws {
        let groups = Topic.consumers.flatMap { entry in entry.services.map(entry.topic.consumerGroup) }
        for (index, group) in groups.enumerated() { cluster.state.withLock { $0.behind[group] = 30 + index } }
        _ = try await grow(to: 6)
        #expect(clock.sleeps.count == 1 + 30 + groups.count - 1 + 1)
    }

    @Test("changes nothing if a group is behind for too long, and says which")
    func behind() async throws {
        let group = Topic.captureReceived.consumerGroup(of: .depthAnalyzer)
        cluster.state.withLock { $0.behind[group] = .max }
        let error = await #expect(throws: TopicGrowth.Behind.self) { try await grow(to: 6, timeout: .seconds(20)) }
        #expect(error?.groups == [group: 7])
        #expect(error?.description == "depth-analyzer.rial.capture.received.v1 has 7 records left")
        #expect(clock.sleeps.reduce(.zero, +) == TopicGrowth.inFlight + .seconds(20))
        cluster.state.withLock { #expect($0.growths.isEmpty && !$0.isClosed) }
    }

    @Test("changes nothing once relays may publish again")
    func brokenGate() async throws {
        cluster.state.withLock { $0.isBroken = true }
        await #expect(throws: Hiccup.self) { try await grow(to: 6) }
        cluster.state.withLock { #expect($0.growths.isEmpty) }
    }
}
