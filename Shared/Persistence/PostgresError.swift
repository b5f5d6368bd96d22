/// Why a statement or a connection failed. Never contains parameter values.
public struct PostgresError: Error, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// Used after `close()` or `shutdown()`.
        case closed
        /// The server could not be reached, or the connection to it was lost.
        case connectionFailed
        /// No connection of the pool became free in time, or the server did not respond in time.
        case timeout
        /// The server rejected the statement; see `sqlState`.
        case query
        /// A column does not have the type that the caller asked for.
        case decoding
        /// `COMMIT` rolled back, because a statement before it had failed.
        case commitRolledBack
        /// The migrations do not fit the database's history, or cannot be read.
        case migration
    }

    public var code: Code
    public var message: String
    /// Five characters (manual, appendix A); absent if the error is not the server's.
    public var sqlState: String?
    /// The constraint that was violated, if one was.
    public var constraint: String?
    public var cause: (any Error)?

    public init(
        code: Code, message: String, sqlState: String? = nil, constraint: String? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.sqlState = sqlState
        self.constraint = constraint
        self.cause = cause
    }

    /// Whether a retry may succeed, perhaps only after an operator has acted (SPEC §1). False for errors caused by the data or the
    /// statement itself: classes 22, 23 and 42, except a missing privilege (42501), which can be granted. A standby, a demoted primary, a
    /// lock or a timeout is transient.
    public var isTransient: Bool {
        switch code {
        case .connectionFailed, .timeout, .closed: return true
        case .decoding, .migration: return false
        case .query, .commitRolledBack: break
        }
        guard let sqlState else { return code == .commitRolledBack }
        return sqlState == "42501" || !["22", "23", "42"].contains { sqlState.hasPrefix($0) }
    }

    /// Serialization failure or deadlock: the same transaction may succeed when run again from its start.
    public var shouldRetryTransaction: Bool { sqlState == "40001" || sqlState == "40P01" }

    /// Usually means that the work has already been done.
    public var isUniqueViolation: Bool { sqlState == "23505" }

    public var description: String {
        let state = sqlState.map { " [\($0)]" } ?? ""
        return "\(code.rawValue)\(state): \(message)" + (cause.map { " (\($0))" } ?? "")
    }
}
