import Logging
import Messaging
import Metrics
import Models
import Persistence

/// What PostgreSQL and the topics have room for, and what an instance would use.
///
/// An instance starts even if there is too little: a rolling update has one too many for a while, and most connections are opened under load only.
struct Capacity: Equatable {
    /// How many connections PostgreSQL would still accept from this user.
    let freeConnections: Int
    /// Partitions of each topic that the instance reads with others.
    let partitions: [Topic: Int]

    /// What is too little for an instance, in words for its log.
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

    static func measure(_ service: ServiceName, _ database: PostgresPool, _ admin: KafkaAdmin) async throws -> Capacity {
        // Of sessions of others, everybody may see that they are there.
        let rows = try await database.query(
            """
            SELECT current_setting('max_connections')::int8 - current_setting('superuser_reserved_connections')::int8
                - (SELECT count(datid) FROM pg_stat_activity) AS free
            """)
        let free = try rows.first?.get("free", as: Int64.self) ?? 0
        let existing = try await admin.topics()
        let read = Topic.consumers.filter { $0.services.contains(service) }.map(\.topic)
        return Capacity(
            freeConnections: Int(free),
            partitions: Dictionary(read.compactMap { topic in existing[topic.rawValue].map { (topic, $0) } }) { $1 })
    }
}

extension Backbone {
    /// Reports the free connections, and says at the start what there is too little of.
    func capacityTask(_ admin: KafkaAdmin) -> PeriodicTask {
        let said = CapacityWarnings()
        let (service, database, settings, logger) = (service, database, settings, logger)
        return PeriodicTask(name: "capacity", every: .seconds(60), logger: logger) {
            let capacity = try await Capacity.measure(service, database, admin)
            Meter(label: "rial_database_connections_free").set(Int64(capacity.freeConnections))
            // One for readiness, one that listens; the gateway listens for uploads, too.
            let connections = settings.databasePoolSize + (service == .gateway ? 3 : 2)
            let warnings = capacity.warnings(connections: connections) {
                $0 == .videoReceived ? settings.videoConsumers : settings.consumers
            }
            for warning in await said.new(warnings) { logger.warning("capacity", metadata: ["problem": "\(warning)"]) }
        }
    }
}

/// What was said already: an instance's own connections do not count against it later on.
private actor CapacityWarnings {
    private var isFirst = true

    func new(_ warnings: [String]) -> [String] {
        defer { isFirst = false }
        return isFirst ? warnings : []
    }
}
