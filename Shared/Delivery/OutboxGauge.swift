import Metrics
public import Models
public import Persistence

/// Reports the number of unpublished outbox rows and the age of the oldest.
public enum OutboxGauge {
    /// Sets `rial_outbox_pending` (rows) and `rial_outbox_oldest_seconds`, which is 0 without a row.
    /// - Throws: `PostgresError` or `CancellationError`.
    public static func measure(_ service: ServiceName, _ database: PostgresPool) async throws {
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
