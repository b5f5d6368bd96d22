extension PostgresConnection {
    /// Waits for the advisory lock of that name and holds it until the transaction ends.
    /// - Throws: ``PostgresError``.
    public func lock(_ name: String) throws { try query("SELECT pg_advisory_xact_lock(hashtextextended(\(name), 0))") }

    /// Like ``lock(_:)``, without waiting.
    /// - Returns: false if another transaction holds the lock.
    /// - Throws: ``PostgresError``.
    public func tryLock(_ name: String) throws -> Bool {
        try query("SELECT pg_try_advisory_xact_lock(hashtextextended(\(name), 0)) AS held").first?.get("held") == true
    }
}
