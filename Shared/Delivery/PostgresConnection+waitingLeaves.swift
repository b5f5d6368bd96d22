public import Persistence

extension PostgresConnection {
    /// Lets what was taken out of the log wait for it again, in this order. The arrays have one element for each leaf.
    /// - Returns: how many were not entered elsewhere and did not wait already.
    /// - Throws: `PostgresError`.
    @discardableResult
    public func letWait(commitments: [[UInt8]], subjects: [[UInt8]], kinds: [String], times: [Int64]) throws -> Int {
        try affected(
            """
            INSERT INTO log_pending (commitment, subject, kind, time)
            SELECT commitment, subject, kind, time FROM unnest(\(commitments), \(subjects), \(kinds), \(times))
                WITH ORDINALITY AS taken (commitment, subject, kind, time, number)
            WHERE NOT EXISTS (SELECT FROM log_entries WHERE log_entries.commitment = taken.commitment)
            ORDER BY number
            ON CONFLICT (commitment) DO NOTHING
            """)
    }
}
