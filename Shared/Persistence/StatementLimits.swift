import Foundation

/// What bounds a session's statements: the server's own timeouts, and the client's own beyond them.
struct StatementLimits: Sendable {
    /// Zero means no limit.
    let statement: Duration

    private var milliseconds: Int { max(0, Int((statement / .milliseconds(1)).rounded())) }

    /// When the client gives a statement up, should the server not even end it.
    var deadline: ContinuousClock.Instant? { milliseconds == 0 ? nil : .now + statement + .seconds(5) }

    /// Settings that change how values are written, and the timeouts. Locks are waited for two thirds of a statement's time,
    /// so that the error says that it was a lock.
    var sessionSettings: String {
        """
        SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET bytea_output = 'hex'; SET IntervalStyle = 'postgres';
        SET extra_float_digits = 1; SET standard_conforming_strings = on;
        SET statement_timeout = \(milliseconds); SET lock_timeout = \(milliseconds / 3 * 2);
        SET idle_in_transaction_session_timeout = 30000
        """
    }
}
