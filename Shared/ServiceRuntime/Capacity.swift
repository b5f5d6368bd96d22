import Delivery
import Logging
import Messaging
import Metrics
import Models
import Persistence
import Synchronization

/// How many connections and partitions are available, compared with what an instance would use.
///
/// An instance starts even if there are too few: a rolling update has one instance more for a while, and most connections are opened only
/// under load.
struct Capacity: Equatable {
    /// How many connections PostgreSQL would still accept from this user.
    let freeConnections: Int
    /// Partitions of each topic that the instance reads with others.
    let partitions: [Topic: Int]

    /// What an instance has too few of, as sentences for its log.
    /// - Parameters:
    ///   - connections: that it opens at most.
    ///   - consumers: how many of its consumers read a topic.
    func warnings(connections: Int, consumers: (Topic) -> Int) -> [String] {
        var warnings: [String] = []
        if freeConnections < connections {
            warnings.append("PostgreSQL has room for \(max(0, freeConnections)) more connections, this instance opens up to \(connections)")
        }
        for (topic, count) in partitions.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where count < consumers(topic) {
            warnings.append("\(topic.rawValue) has \(count) partitions for \(consumers(topic)) consumers of this instance alone")
        }
        return warnings
    }

    static func freeConnections(_ database: PostgresPool) async throws -> Int {
        // Any role may see that sessions of other roles exist.
        let rows = try await database.query(
            """
            SELECT current_setting('max_connections')::int8 - current_setting('superuser_reserved_connections')::int8
                - (SELECT count(datid) FROM pg_stat_activity) AS free
            """)
        return try rows.first?.get("free", as: Int.self) ?? 0
    }

    static func partitions(of topics: [Topic], _ admin: KafkaAdmin) async throws -> [Topic: Int] {
        guard !topics.isEmpty else { return [:] }
        let existing = try await admin.topics()
        return Dictionary(topics.compactMap { topic in existing[topic.rawValue].map { (topic, $0) } }) { $1 }
    }
}

extension Backbone {
    /// Reports the free connections, and says at the start what there is too little of.
    /// - Parameters:
    ///   - ownConnections: that the service opens beside those of every service.
    ///   - sharedTopics: whose partitions its instances share.
    func capacityTask(_ admin: KafkaAdmin, ownConnections: Int, sharedTopics: [Topic]) -> PeriodicTask {
        // An instance's own connections do not count against it later on.
        let isChecked = Atomic(false)
        let (database, settings, logger) = (database, settings, logger)
        return PeriodicTask(name: "capacity", every: .seconds(60), logger: logger) {
            let free = try await Capacity.freeConnections(database)
            Meter(label: "rial_database_connections_free").set(Int64(free))
            guard !isChecked.load(ordering: .relaxed) else { return }
            let capacity = Capacity(freeConnections: free, partitions: try await Capacity.partitions(of: sharedTopics, admin))
            isChecked.store(true, ordering: .relaxed)
            // One for readiness, one that listens.
            let connections = settings.databasePoolSize + 2 + ownConnections
            let warnings = capacity.warnings(connections: connections) {
                $0 == .videoReceived ? settings.videoConsumers : settings.consumers
            }
            for warning in warnings { logger.warning("capacity", metadata: ["problem": "\(warning)"]) }
        }
    }
}
