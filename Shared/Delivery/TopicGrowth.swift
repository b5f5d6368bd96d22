public import Messaging
import Models

/// The topics of a cluster and how far their consumer groups are.
public protocol PartitionedTopics: Sendable {
    /// Every topic with its number of partitions.
    func topics() async throws -> [String: Int]
    /// Gives each of the topics, which have fewer, this many partitions.
    func growTopics(_ names: [String], partitions: Int32) async throws
    /// How many records of a topic a consumer group has not committed.
    func uncommitted(of topic: String, partitions: Int, by group: String) async throws -> Int64
}

extension KafkaAdmin: PartitionedTopics {}

/// Adds partitions to the pipeline's topics, such that records with the same key stay in order (SPEC §1).
///
/// The partition of a key depends on how many there are. So publishing is stopped: first all published records are handled, then partitions
/// are added, and publishing resumes when every producer knows the new number. Captures are still accepted, and wait meanwhile.
public struct TopicGrowth: Sendable {
    /// Consumer groups had not handled all records before the timeout; nothing was changed.
    public struct Behind: Error, CustomStringConvertible {
        /// The groups' uncommitted records.
        public let groups: [String: Int64]

        public var description: String {
            groups.sorted { $0.key < $1.key }.map { "\($0.key) has \($0.value) records left" }.joined(separator: ", ")
        }
    }

    /// Longer than a producer keeps sending a record whose relay has ended.
    static let inFlight: Duration = .seconds(12)
    /// Longer than a producer uses an old number of partitions.
    static let metadataAge: Duration = .seconds(6)
    static let interval: Duration = .milliseconds(500)

    private let topics: any PartitionedTopics
    private let gate: any PublishingGate
    private let clock: any Clock<Duration>

    public init(topics: any PartitionedTopics, gate: any PublishingGate, clock: any Clock<Duration> = ContinuousClock()) {
        self.topics = topics
        self.gate = gate
        self.clock = clock
    }

    /// - Parameters:
    ///   - partitions: of each topic that has fewer; others stay as they are.
    ///   - timeout: for consumers to handle what was published.
    /// - Returns: the topics that grew.
    /// - Throws: ``Behind``, or the error of a dependency. After an error some topics may have grown; it can be repeated.
    public func run(partitions: Int32, timeout: Duration) async throws -> [String] {
        let existing = try await topics.topics()
        let growing = Topic.all.map(\.rawValue).filter { existing[$0].map { $0 < partitions } ?? false }
        guard !growing.isEmpty else { return [] }
        return try await gate.closed { check in
            try await clock.sleep(for: Self.inFlight)
            try await awaitHandled(existing, timeout: timeout, check)
            try await topics.growTopics(growing, partitions: partitions)
            try await clock.sleep(for: Self.metadataAge)
            try await check()
            return growing
        }
    }

    /// Waits until every consumer group has handled what was published. Nothing is published meanwhile, so none falls behind again.
    private func awaitHandled(
        _ existing: [String: Int], timeout: Duration, _ check: @Sendable () async throws -> Void
    ) async throws {
        var groups = Topic.consumers.flatMap { topic, services in
            existing[topic.rawValue].map { partitions in
                services.map { (name: topic.consumerGroup(of: $0), topic: topic.rawValue, partitions: partitions) }
            } ?? []
        }
        var waited = Duration.zero
        while true {
            var behind: [String: Int64] = [:]
            waited += try await clock.measure {
                for group in groups {
                    let count = try await topics.uncommitted(of: group.topic, partitions: group.partitions, by: group.name)
                    if count > 0 { behind[group.name] = count }
                }
            }
            try await check()
            guard !behind.isEmpty else { return }
            guard waited < timeout else { throw Behind(groups: behind) }
            groups.removeAll { behind[$0.name] == nil }
            try await clock.sleep(for: Self.interval)
            waited += Self.interval
        }
    }
}
