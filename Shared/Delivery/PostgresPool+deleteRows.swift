public import Persistence

extension PostgresPool {
    /// Deletes rows older than an age, the oldest first, in batches, each in a statement of its own: all that an outage of weeks left at
    /// once would take longer than a statement may, and be rolled back. Ends early at shutdown.
    ///
    /// - Parameters:
    ///   - column: when a row was written, which never changes; with an index.
    ///   - age: an `interval`.
    /// - Throws: `PostgresError` or `CancellationError`.
    public func deleteRows(of table: String, by column: String, olderThan age: SQL, batchSize: Int = 10_000) async throws {
        var deleted: Int
        repeat {
            deleted = try await withConnection { connection in
                try await connection.affected(
                    """
                    DELETE FROM \(unescaped: table) WHERE ctid = ANY(ARRAY(SELECT ctid FROM \(unescaped: table)
                        WHERE \(unescaped: column) < now() - \(age) ORDER BY \(unescaped: column) LIMIT \(batchSize)))
                    """)
            }
        } while deleted == batchSize && !Task.isEnding
    }
}
