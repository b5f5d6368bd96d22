import Logging
import Metrics
import Persistence
import ServiceLifecycle

/// Does something every so often until shutdown; a failure is logged and the next turn comes all the same.
public struct PeriodicTask: Service {
    let name: String
    let interval: Duration
    let logger: Logger
    let body: @Sendable () async throws -> Void

    public init(name: String, every interval: Duration, logger: Logger, _ body: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.interval = interval
        self.logger = logger
        self.body = body
    }

    public func run() async throws {
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            do {
                try await body()
            } catch {
                logger.warning("periodic task failed", error: error, metadata: ["task": "\(name)"])
            }
            await cancelWhenGracefulShutdown { try? await Task.sleep(for: interval) }
        }
    }
}

/// How much waits to be published, and for how long.
enum OutboxGauge {
    static func measure(_ service: ServiceName, _ database: PostgresPool) async throws {
        let rows = try await database.query(
            """
            SELECT count(*) AS pending, coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS age
            FROM \(unescaped: service.outboxTable)
            """)
        guard let row = rows.first else { return }
        Meter(label: "rial_outbox_pending").set(try row.get("pending", as: Int64.self))
        Meter(label: "rial_outbox_oldest_seconds").set(try row.get("age", as: Double.self))
    }
}
