import Foundation

/// The statement timeouts of a session: the server's, and a later one of the client.
struct StatementLimits: Sendable {
    /// Zero means no limit.
    let statement: Duration

    private var milliseconds: Int { max(0, Int((statement / .milliseconds(1)).rounded())) }

    /// When the client stops waiting if the server has not ended the statement by its own timeout.
    var deadline: ContinuousClock.Instant? { milliseconds == 0 ? nil : .now + statement + .seconds(5) }

    /// The formats of values, and the timeouts. The lock timeout is two thirds of the statement's, so that the error names the lock.
    var sessionSettings: String {
        """
        SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET bytea_output = 'hex'; SET IntervalStyle = 'postgres';
        SET extra_float_digits = 1; SET standard_conforming_strings = on;
        SET statement_timeout = \(milliseconds); SET lock_timeout = \(milliseconds / 3 * 2);
        SET idle_in_transaction_session_timeout = 30000
        """
    }
}

extension PostgresConnection {
    /// Lets the current transaction wait so long for something else between two statements, such as an object store. Sessions are ended
    /// after 30 seconds of it otherwise.
    /// - Throws: ``PostgresError``.
    public func mayIdle(for duration: Duration) throws {
        let milliseconds = "\(Int((duration / .milliseconds(1)).rounded()))"
        try query("SELECT set_config('idle_in_transaction_session_timeout', \(milliseconds), true)")
    }
}
